import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { createRequestBuilder } from "../../context/request/build.ts";
import type { ClientContext } from "../../protocol/rpc.ts";
import type { StoredSession } from "../../protocol/store-port.ts";
import type { Place } from "../../protocol/tool.ts";
import { AppError } from "../../shared/error.ts";
import { readLedgerFile } from "./ledger-file.ts";
import type { SessionActor } from "./session-actor.ts";
import { sessionPolicy } from "./session-policy.ts";
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
  folders: { tmpRoot: string; home: string; privateDirs: string[]; ledgers: string },
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
    policy: sessionPolicy(stored.session, place, settings, folders.privateDirs, actor.state.skillFolders),
    grants: [],
    seen: readLedgerFile(folders.ledgers, stored.session.id),
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
    skills: null,
    toldMode: null,
    unbind: () => undefined,
  };
}
