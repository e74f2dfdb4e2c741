import { lstat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Result, SandboxPolicy } from "../protocol/ports.ts";
import type { Place } from "../protocol/tool.ts";
import { isWithin, realPathOf } from "../shared/fs.ts";
import { fail, failFrom } from "./files/errors.ts";
import { judgeRead, judgeWrite } from "./policy.ts";

/** What the user approved for this one call beyond the policy: real paths; what lies below counts too. */
export type Approved = { outside: readonly string[]; protectedPaths: readonly string[] };

export const NOTHING_APPROVED: Approved = { outside: [], protectedPaths: [] };

/** `final: "keep"` judges a last link itself instead of what it points to (delete, move). */
export type GuardOptions = { approved?: Approved; final?: "follow" | "keep" };

/**
 * The real path that a path of the model stands for: /tmp is the session's private one, as commands see it,
 * and every link is followed. Permission and file layer use this one resolver.
 */
export async function resolveInPlace(
  place: Place,
  path: string,
  final: "follow" | "keep" = "follow",
): Promise<Result<string>> {
  if (path.includes("\0")) return fail("invalid", "The path holds a NUL character.");
  try {
    const mapped = await intoPrivateTmp(place, isAbsolute(path) ? path : `${place.cwd}/${path}`);
    if (final === "follow") return { ok: true, value: await realPathOf(mapped) };
    return { ok: true, value: join(await realPathOf(dirname(mapped)), basename(mapped)) };
  } catch (error) {
    return failFrom(error, path);
  }
}

/**
 * When the work tree itself lies below /tmp, a path keeps its host meaning if it is spelled from a root
 * (`root/../x`), or if only the host has what it names: it is then refused by its own name.
 */
async function intoPrivateTmp(place: Place, spelled: string): Promise<string> {
  const path = resolve(spelled);
  if (!isWithin("/tmp", path) || place.tmp === "/tmp") return path;
  const own = [place.tmp, place.cwd, ...place.roots];
  if (own.some((root) => isWithin(root, path) || isWithin(root, spelled))) return path;
  const below = relative("/tmp", path);
  const inside = join(place.tmp, below);
  if (below === "" || !place.roots.some((root) => isWithin("/tmp", root))) return inside;
  const first = below.split("/")[0] ?? "";
  const hostOnly = (await exists(join("/tmp", first))) && !(await exists(join(place.tmp, first)));
  return hostOnly ? path : inside;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Resolves a path and says whether it may be read; the value is the real path to act on. */
export async function guardRead(
  policy: SandboxPolicy,
  place: Place,
  path: string,
  options: GuardOptions = {},
): Promise<Result<string>> {
  const real = await resolveInPlace(place, path, options.final);
  if (!real.ok) return real;
  const verdict = judgeRead(policy, real.value);
  if (verdict.allowed && mayReadUnasked(policy, real.value)) return real;
  const refusal: Refusal = verdict.allowed
    ? { allowed: false, why: "outside_roots", detail: "It is not in the workspace." }
    : verdict;
  return refuse(refusal, path, real.value, options.approved ?? NOTHING_APPROVED);
}

/** Commands may read whatever is no secret; a file tool reads outside its roots only what was approved. */
function mayReadUnasked(policy: SandboxPolicy, real: string): boolean {
  const { writableRoots, readableRoots, tmpDir, allowRead } = policy;
  return [...writableRoots, ...readableRoots, tmpDir, ...allowRead].some((root) => isWithin(root, real));
}

/** Resolves a path and says whether it may be written; the value is the real path to act on. */
export async function guardWrite(
  policy: SandboxPolicy,
  place: Place,
  path: string,
  options: GuardOptions = {},
): Promise<Result<string>> {
  const real = await resolveInPlace(place, path, options.final);
  if (!real.ok) return real;
  const verdict = judgeWrite(policy, real.value);
  if (verdict.allowed) return real;
  return refuse(verdict, path, real.value, options.approved ?? NOTHING_APPROVED);
}

type Refusal = { allowed: false; why: "outside_roots" | "protected" | "secret"; detail: string };

function refuse(verdict: Refusal, path: string, real: string, approved: Approved): Result<string> {
  const within = (list: readonly string[]): boolean => list.some((one) => isWithin(one, real));
  if (verdict.why === "outside_roots") {
    if (within(approved.outside)) return { ok: true, value: real };
    const where = real === path ? path : `${path} (leads to ${real})`;
    return fail("outside_roots", `Path escapes workspace: ${where}. ${verdict.detail}`.trim());
  }
  if (verdict.why === "protected" && within(approved.protectedPaths)) return { ok: true, value: real };
  return fail(verdict.why, `${verdict.detail} (${path})`);
}
