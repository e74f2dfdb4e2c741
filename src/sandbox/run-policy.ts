import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import * as z from "zod/mini";
import { expandGroups } from "../protocol/domain-groups.ts";
import type { JsonObject } from "../protocol/ids.ts";
import type { CommandResult, IdSource, SandboxPolicy, SandboxPort } from "../protocol/ports.ts";
import { AppError } from "../shared/error.ts";
import { buildPolicy } from "./policy.ts";

const names = z.optional(z.array(z.string()));
const limit = z.optional(z.nullable(z.number().check(z.positive())));

/** The policy file of `lathe sandbox run`; every part has a default. Paths are absolute, `~/...` or relative. */
const policyFile = z.strictObject({
  mode: z.optional(z.enum(["workspace-write", "read-only"])),
  writableRoots: names,
  readableRoots: names,
  denyRead: names,
  allowRead: names,
  protectedNames: names,
  network: z.optional(
    z.union([
      z.literal("none"),
      z.strictObject({
        allow: names,
        deny: names,
        hosts: z.optional(z.record(z.string(), z.string())),
        privateAddresses: names,
      }),
    ]),
  ),
  allowSockets: names,
  limits: z.optional(
    z.strictObject({
      memoryMb: limit,
      processes: limit,
      tmpMb: limit,
      outputBytes: z.optional(z.number().check(z.positive())),
    }),
  ),
});

export type PolicyPlace = { cwd: string; home: string; tmpDir: string; privateDirs: readonly string[] };

/** The policy that a file describes. AppError `bad_policy` names what is wrong and where. */
export function policyFromFile(file: JsonObject, place: PolicyPlace): SandboxPolicy {
  const parsed = policyFile.safeParse(file);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.length ? `"${issue.path.join(".")}"` : "the top level";
    throw new AppError(
      "bad_policy",
      `The policy is not valid at ${where}: ${issue?.message ?? "unknown fault"}`,
    );
  }
  const given = parsed.data;
  const absolute = (path: string): string => {
    const full =
      path === "~" || path.startsWith("~/") ? join(place.home, path.slice(2)) : resolve(place.cwd, path);
    return realOr(full);
  };
  const network = given.network ?? "none";
  return buildPolicy({
    mode: given.mode ?? "workspace-write",
    writableRoots: (given.writableRoots ?? [place.cwd]).map(absolute),
    readableRoots: (given.readableRoots ?? []).map(absolute),
    home: place.home,
    tmpDir: place.tmpDir,
    privateDirs: place.privateDirs,
    denyRead: given.denyRead,
    allowRead: given.allowRead?.map((path) =>
      isAbsolute(path) || path.startsWith("~") ? absolute(path) : path,
    ),
    protectedNames: given.protectedNames,
    network:
      network === "none"
        ? { type: "none" }
        : {
            type: "gate",
            allow: expandGroups(network.allow ?? []),
            deny: expandGroups(network.deny ?? []),
            hosts: network.hosts ?? {},
            privateAddresses: network.privateAddresses ?? [],
          },
    allowSockets: given.allowSockets?.map(absolute),
    limits: given.limits,
  });
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Runs one command under the policy of a file, in a temp folder of its own that is gone afterwards. AppError
 * `bad_policy` for a bad file, `sandbox` when the command could not run.
 */
export async function runWithPolicyFile(
  params: {
    command: string;
    cwd: string;
    policy: JsonObject;
    environment: Record<string, string>;
    timeoutMs?: number;
  },
  sandbox: SandboxPort,
  ports: { folders: { tmpRoot: string; home: string; privateDirs: readonly string[] }; ids: IdSource },
  signal: AbortSignal = new AbortController().signal,
): Promise<CommandResult> {
  const { folders, ids } = ports;
  const sessionId = ids.next();
  const cwd = realOr(params.cwd);
  const home = realOr(params.environment.HOME ?? folders.home);
  const tmpDir = join(folders.tmpRoot, sessionId);
  const policy = policyFromFile(params.policy, { cwd, home, tmpDir, privateDirs: folders.privateDirs });
  try {
    const result = await sandbox.run({
      sessionId,
      command: params.command,
      cwd,
      env: params.environment,
      policy,
      profile: policy.mode,
      unsandboxed: false,
      timeoutMs: params.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      signal,
    });
    if (!result.ok) throw new AppError("sandbox", result.error.message);
    return result.value;
  } finally {
    await sandbox.release(sessionId);
  }
}
