import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { createRequestBuilder } from "../../context/request/build.ts";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import type { ClientContext } from "../../protocol/rpc.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import type { StoredSession } from "../../protocol/store-port.ts";
import type { Place } from "../../protocol/tool.ts";
import { createReadLedger } from "../../sandbox/files/ledger.ts";
import { buildPolicy } from "../../sandbox/policy.ts";
import { AppError } from "../../shared/error.ts";
import type { SessionActor } from "./session-actor.ts";
import type { SessionRuntime, SessionSettings } from "./session-runtime.ts";

/** Real path of a folder that a client names as a root; a clear error when it is none. */
export async function realFolder(path: string, what: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch {
    throw new AppError("bad_input", `${what} ${path} does not exist`);
  }
  throw new AppError("bad_input", `${what} ${path} is not a folder`);
}

/** What a session holds in memory, made from its stored row, the settings and its folders. */
export async function openRuntime(
  stored: StoredSession,
  actor: SessionActor,
  context: ClientContext | null,
  settings: SessionSettings,
  folders: { tmpRoot: string; home: string; privateDirs: string[] },
): Promise<SessionRuntime> {
  const place: Place = {
    cwd: stored.session.cwd,
    roots: stored.session.roots,
    home: folders.home,
    tmp: join(folders.tmpRoot, stored.session.id),
  };
  await mkdir(place.tmp, { recursive: true, mode: 0o700 });
  return {
    actor,
    options: stored.options,
    environment: context?.environment ?? stored.environment,
    credentials: context?.credentials ?? {},
    settings,
    place,
    policy: policyOf(stored.session, place, settings, folders.privateDirs),
    grants: [],
    seen: createReadLedger(),
    requests: createRequestBuilder(),
    history: [],
    prefix: null,
    prefixHash: stored.prefixHash,
    running: new Map(),
    questions: new Map(),
    spent: new Set(),
    batch: [],
    writers: new Map(),
    streaming: null,
    toldMode: null,
  };
}

/** One policy object per session: the file tools and the sandbox both read it. */
function policyOf(
  session: SessionInfo,
  place: Place,
  settings: SessionSettings,
  privateDirs: string[],
): SandboxPolicy {
  const { sandbox, permissions } = settings.config;
  return buildPolicy({
    mode: session.mode === "read-only" ? "read-only" : "workspace-write",
    writableRoots: session.roots,
    readableRoots: permissions.additionalDirectories,
    home: place.home,
    tmpDir: place.tmp,
    privateDirs,
    allowRead: sandbox.allowRead,
    denyRead: sandbox.denyRead,
    network: sandbox.network,
    allowSockets: sandbox.allowSockets,
    limits: sandbox.limits,
  });
}
