import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock, IdSource } from "../../protocol/ports.ts";
import type { Methods } from "../../protocol/rpc.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import { AppError } from "../../shared/error.ts";
import { isUuid } from "../../shared/uuid.ts";
import { chooseModel } from "./choose-model.ts";
import type { Hub } from "./hub.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { Lend } from "./lend.ts";
import { realFolder } from "./open-runtime.ts";

type Create = Methods["session.create"];

/** Makes a new session from what a client asks for; refuses folders, models and ids that cannot be. */
export async function createSession(
  params: Create["params"],
  hub: Hub,
  ports: HubPorts & { clock: Clock; ids: IdSource; artifactsRoot: string; lend: Lend },
): Promise<Create["result"]> {
  const id = params.sessionId ?? ports.ids.next();
  if (!isUuid(id)) throw new AppError("bad_input", `session id ${id} is not a UUID`);
  if (params.sessionId && (await ports.effects.store.loadSession(id))) {
    throw new AppError("bad_input", `session ${id} exists already; resume it with -r ${id}`);
  }
  const cwd = await realFolder(params.cwd, "the working directory");
  const context = ports.lend(params.context, cwd);
  const settings = await ports.loadSettings(params.cwd, params.options, context.environment);
  const notices = [...settings.notices];
  const added = await Promise.all((params.addDirs ?? []).map((path) => realFolder(path, "--add-dir")));
  const work = workFolder(cwd, id, ports);
  if (work !== cwd) notices.push(`${cwd} is no project, so files are written to ${work}`);
  const { model, notice } = await chooseModel({
    requested: params.model,
    configured: settings.config.model,
    overrides: settings.config.models,
    ...context,
  });
  if (notice !== null) notices.push(notice);
  const now = ports.clock.now();
  const session: SessionInfo = {
    id,
    title: params.title ?? "",
    cwd: work,
    roots: [...new Set([work, ...added])],
    model: model.id,
    mode: params.mode ?? settings.config.permissionMode,
    status: "idle",
    head: null,
    parentSessionId: null,
    parentRunId: null,
    parentCallId: null,
    sandbox: params.options.sandbox,
    usage: { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null },
    messageCount: 0,
    createdAt: now,
    updatedAt: now,
  };
  const options = { ...params.options, keyNames: Object.keys(context.credentials) };
  await hub.create(session, options, context);
  return { session, notices };
}

/** The folder itself, or an artifacts folder of the session where there is no project (CONTRACT F8). */
function workFolder(
  cwd: string,
  id: string,
  ports: { folders: { home: string }; artifactsRoot: string },
): string {
  if (cwd !== "/" && cwd !== ports.folders.home && isWritable(cwd)) return cwd;
  const folder = join(ports.artifactsRoot, id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
