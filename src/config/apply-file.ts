import { isAbsolute, join } from "node:path";
import type { RuleScope } from "../protocol/permission.ts";
import type { LoadedConfig } from "./loaded-config.ts";
import { parseMode } from "./modes.ts";
import type { ConfigFile } from "./schema.ts";

type Applied = { file: string; scope: RuleScope; mayLoosen: boolean; home: string; cwd: string };

/**
 * Puts one checked file over what is there. A project's file that may not loosen adds only denials and lower
 * limits; no project file ever sets mode, model, endpoints, roots or host sockets, trusted or not.
 */
export function applyFile(file: ConfigFile, applied: Applied, loaded: LoadedConfig): void {
  applyTightening(file, applied, loaded);
  if (applied.mayLoosen) applyLoosening(file, applied, loaded);
  else if (loosens(file)) {
    loaded.notices.push({
      file: applied.file,
      text: `${applied.file} is in force only where it tightens: the folder is not trusted (\`lathe trust\`)`,
    });
  }
  if (applied.scope === "project") sayForbidden(file, applied, loaded);
  else applyOwner(file, applied, loaded);
}

function applyTightening(
  file: ConfigFile,
  { file: source, mayLoosen }: Applied,
  { config, origins }: LoadedConfig,
): void {
  const { network } = config.sandbox;
  if (network.type === "gate") network.deny.push(...(file.sandbox?.network?.deny ?? []));
  config.sandbox.denyRead.push(...(file.sandbox?.denyRead ?? []));
  const limits = file.limits ?? {};
  const pairs = [
    ["maxSteps", limits.maxTurns],
    ["maxToolCalls", limits.maxToolCalls],
    ["maxTokens", limits.maxTokens],
    ["maxCostUsd", limits.maxBudgetUsd],
    ["maxSeconds", limits.maxSeconds],
  ] as const;
  for (const [name, value] of pairs) {
    if (value === undefined) continue;
    const before = config.limits[name];
    if (!mayLoosen && (value === null || (before !== null && value > before))) continue;
    config.limits[name] = value;
    origins.set(`limits.${name}`, source);
  }
}

function applyLoosening(file: ConfigFile, applied: Applied, { config, origins }: LoadedConfig): void {
  const { network } = config.sandbox;
  const wanted = file.sandbox?.network;
  if (network.type === "gate" && wanted) {
    network.allow.push(...(wanted.allow ?? []));
    network.privateAddresses.push(...(wanted.privateAddresses ?? []));
    Object.assign(network.hosts, wanted.hosts);
  }
  config.sandbox.allowRead.push(...(file.sandbox?.allowRead ?? []).map((path) => absolute(path, applied)));
  for (const [name, value] of Object.entries(file.sandbox?.limits ?? {})) {
    Object.assign(config.sandbox.limits, { [name]: value });
    origins.set(`sandbox.limits.${name}`, applied.file);
  }
  for (const [name, value] of Object.entries(file.tools ?? {})) {
    Object.assign(config.tools, { [name]: value });
    origins.set(`tools.${name}`, applied.file);
  }
  if (file.context?.compactAt !== undefined) {
    config.context.compactAt = file.context.compactAt;
    origins.set("context.compactAt", applied.file);
  }
  Object.assign(config.env, file.env);
  if (file.env) origins.set("env", applied.file);
}

/** What only the user's own file and the administrator's may set. */
function applyOwner(file: ConfigFile, applied: Applied, { config, origins }: LoadedConfig): void {
  if (file.model !== undefined) {
    config.model = file.model;
    origins.set("model", applied.file);
  }
  if (file.permissionMode !== undefined) {
    const mode = parseMode(file.permissionMode);
    if (mode.ok) config.permissionMode = mode.value;
    origins.set("permissionMode", applied.file);
  }
  config.models = {
    providers: { ...config.models.providers, ...file.models?.providers },
    models: { ...config.models.models, ...file.models?.models },
  };
  if (file.models) origins.set("models", applied.file);
  const paths = (list: string[] | undefined): string[] => (list ?? []).map((path) => absolute(path, applied));
  config.sandbox.allowSockets.push(...paths(file.sandbox?.allowSockets));
  config.permissions.additionalDirectories.push(...paths(file.permissions?.additionalDirectories));
  if (file.skillPrecedence !== undefined) {
    config.skillPrecedence = file.skillPrecedence;
    origins.set("skillPrecedence", applied.file);
  }
  if (file.daemon?.idleMinutes !== undefined) {
    config.daemon.idleMinutes = file.daemon.idleMinutes;
    origins.set("daemon.idleMinutes", applied.file);
  }
}

function loosens(file: ConfigFile): boolean {
  return Boolean(
    file.permissions?.allow?.length ||
      file.sandbox?.network?.allow?.length ||
      file.sandbox?.network?.privateAddresses?.length ||
      file.sandbox?.network?.hosts ||
      file.sandbox?.allowRead?.length ||
      file.sandbox?.limits ||
      file.tools ||
      file.context ||
      file.env,
  );
}

function sayForbidden(file: ConfigFile, applied: Applied, loaded: LoadedConfig): void {
  const keys = [
    file.model !== undefined && "model",
    file.permissionMode !== undefined && "permissionMode",
    file.models && "models",
    file.permissions?.additionalDirectories && "permissions.additionalDirectories",
    file.sandbox?.allowSockets && "sandbox.allowSockets",
    file.skillPrecedence && "skillPrecedence",
    file.daemon && "daemon",
  ].filter((key): key is string => typeof key === "string");
  if (keys.length === 0) return;
  loaded.notices.push({
    file: applied.file,
    text: `${applied.file}: ${keys.join(", ")} ignored: a project cannot set ${keys.length === 1 ? "it" : "them"}`,
  });
}

function absolute(path: string, { home, cwd }: Applied): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? path : join(cwd, path);
}
