import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Client } from "../client/client.ts";
import { configuredKeyNames, pickEnvironment } from "../config/credentials.ts";
import { parseMode } from "../config/modes.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { ClientContext } from "../protocol/rpc.ts";
import type { Limits, SessionInfo } from "../protocol/session.ts";
import { AppError, errorMessage } from "../shared/error.ts";
import type { Flags } from "./args.ts";
import type { CliHost } from "./host.ts";

/** What this process lends to a session: allow-listed variables and, in memory only, keys. */
export function clientContext(host: CliHost): ClientContext {
  return pickEnvironment(host.environment, keyNames(host));
}

/**
 * Names of keys that the user's or the administrator's config gives to providers. The text is searched, not
 * parsed: the daemon reads the files and says what is wrong with them.
 */
function keyNames({ paths }: CliHost): string[] {
  return [paths.configFile, paths.managedConfigFile].flatMap((file) => {
    try {
      return configuredKeyNames(readFileSync(file, "utf8"));
    } catch {
      return [];
    }
  });
}

/** The folder the flags name, else the one the process stands in. */
export function workingDirectory(host: CliHost, flags: Flags): string {
  return flags.cwd === null ? host.cwd : resolve(host.cwd, flags.cwd);
}

/** The session the flags ask for: a new one, the last one here, a named one, or a copy of either. */
export async function sessionOf(
  client: Client,
  host: CliHost,
  flags: Flags,
): Promise<{ session: SessionInfo; notices: string[] }> {
  const context = clientContext(host);
  const cwd = workingDirectory(host, flags);
  const mode = modeOf(flags);
  const earlier = await earlierSession(client, flags, cwd);
  if (!earlier) {
    return await client.call("session.create", {
      cwd,
      addDirs: flags.addDirs.map((path) => resolve(cwd, path)),
      model: flags.model ?? undefined,
      mode,
      title: flags.name ?? undefined,
      sessionId: flags.sessionId ?? undefined,
      options: sessionOptions(flags, cwd),
      context,
    });
  }
  refuseNewSessionFlags(flags, earlier);
  const session = flags.fork
    ? (await client.call("session.fork", { sessionId: earlier.id, context })).session
    : earlier;
  return { session, notices: [] };
}

/** What a session keeps from its beginning cannot be changed by a flag later; saying nothing would be worse. */
function refuseNewSessionFlags(flags: Flags, session: SessionInfo): void {
  const given = [
    flags.addDirs.length > 0 && "--add-dir",
    (flags.systemPrompt ?? flags.systemPromptFile) !== null && "--system-prompt",
    (flags.appendSystemPrompt ?? flags.appendSystemPromptFile) !== null && "--append-system-prompt",
    flags.tools !== null && "--tools",
    sandboxOf(flags) === "none" && session.sandbox !== "none" && "--sandbox none",
  ].filter((name): name is string => typeof name === "string");
  if (given.length === 0) return;
  throw new AppError(
    "usage",
    `${given.join(", ")} can be given to a new session only; session ${session.id} keeps what it began with`,
  );
}

/** What flags change on a session that exists already. Call after it was opened. */
export async function applyFlags(
  client: Client,
  host: CliHost,
  flags: Flags,
  session: SessionInfo,
): Promise<SessionInfo> {
  const mode = modeOf(flags);
  const changes = {
    model: flags.model === null || flags.model === session.model ? undefined : flags.model,
    mode: mode === session.mode ? undefined : mode,
    title: flags.name === null || flags.name === session.title ? undefined : flags.name,
    allowedTools: resumes(flags) && flags.allowedTools.length > 0 ? flags.allowedTools : undefined,
    disallowedTools: resumes(flags) && flags.disallowedTools.length > 0 ? flags.disallowedTools : undefined,
  };
  if (Object.values(changes).every((change) => change === undefined)) return session;
  const { session: updated } = await client.call("session.update", {
    sessionId: session.id,
    commandId: host.newId(),
    ...changes,
  });
  return updated;
}

/** A session by id, beginning of an id, or title; AppError `bad_input` when none or several fit. */
export async function findSession(client: Client, name: string, cwd?: string): Promise<SessionInfo> {
  const { sessions } = await client.call("session.list", { search: name, limit: 20 });
  const byId = sessions.filter(
    (session) => session.id === name || (name.length >= 4 && session.id.startsWith(name)),
  );
  const fits = byId.length > 0 ? byId : sessions.filter((session) => session.title === name);
  const here = fits.length > 1 && cwd ? fits.filter((session) => session.cwd === cwd) : fits;
  const [only] = here;
  if (only && here.length === 1) return only;
  if (here.length > 1) {
    const list = here.map((session) => `  ${session.id}  ${session.title}`).join("\n");
    throw new AppError("bad_input", `"${name}" fits several sessions:\n${list}`);
  }
  throw new AppError(
    "bad_input",
    `no session has the id or title "${name}"; \`lathe sessions list --all\` shows them`,
  );
}

const resumes = (flags: Flags): boolean => flags.continueLast || flags.resume !== null;

async function earlierSession(client: Client, flags: Flags, cwd: string): Promise<SessionInfo | null> {
  if (flags.resume !== null && flags.resume !== "") return await findSession(client, flags.resume, cwd);
  if (!resumes(flags)) return null;
  const { sessions } = await client.call("session.list", { cwd, limit: 1 });
  const [last] = sessions;
  if (!last) throw new AppError("bad_input", `there is no session of ${cwd} to go on with`);
  return last;
}

function modeOf(flags: Flags): PermissionMode | undefined {
  if (flags.permissionMode === null) return undefined;
  const mode = parseMode(flags.permissionMode);
  if (!mode.ok) throw new AppError("usage", `--permission-mode: ${mode.error}`);
  return mode.value;
}

function sessionOptions(flags: Flags, cwd: string) {
  return {
    systemPrompt: textOf(flags.systemPrompt, flags.systemPromptFile, cwd),
    appendSystemPrompt: textOf(flags.appendSystemPrompt, flags.appendSystemPromptFile, cwd),
    allowedTools: flags.allowedTools,
    disallowedTools: flags.disallowedTools,
    tools: flags.tools ?? undefined,
    sandbox: sandboxOf(flags),
  };
}

/** The ecosystem's mode `full` is `bypass` without a sandbox. */
const sandboxOf = (flags: Flags): "on" | "none" =>
  flags.permissionMode?.trim().toLowerCase() === "full" ? "none" : flags.sandbox;

function textOf(text: string | null, file: string | null, cwd: string): string | undefined {
  if (text !== null) return text;
  if (file === null) return undefined;
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new AppError("bad_input", `the prompt file ${file} cannot be read: ${errorMessage(error)}`);
  }
}

/** Limits of a prompt from the flags; what is not given is left to the config. */
export function limitsOf(flags: Flags): Partial<Limits> {
  const limits: Partial<Limits> = {};
  if (flags.maxTurns !== null) limits.maxSteps = flags.maxTurns;
  if (flags.maxToolCalls !== null) limits.maxToolCalls = flags.maxToolCalls;
  if (flags.maxTokens !== null) limits.maxTokens = flags.maxTokens;
  if (flags.maxBudgetUsd !== null) limits.maxCostUsd = flags.maxBudgetUsd;
  if (flags.maxSeconds !== null) limits.maxSeconds = flags.maxSeconds;
  return limits;
}
