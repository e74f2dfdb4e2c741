import { join } from "node:path";
import * as z from "zod/mini";
import type { RuleScope } from "../protocol/permission.ts";
import { applyFile } from "./apply-file.ts";
import { checkRule } from "./check-rules.ts";
import { claudeRules } from "./claude-settings.ts";
import type { LoadedConfig } from "./loaded-config.ts";
import { parseMode } from "./modes.ts";
import type { LathePaths } from "./paths.ts";
import { readProjectRules } from "./project-rules.ts";
import { type ParsedFile, parseSettings } from "./read-file.ts";
import { defaultConfig } from "./resolved.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import { unknownKeys } from "./unknown-keys.ts";

export type LoadOptions = {
  paths: LathePaths;
  cwd: string;
  /** Untrusted: the project's files only tighten. */
  trusted: boolean;
  environment: Record<string, string | undefined>;
  /** The file's text, `null` when it is not there; throws when it cannot be read. */
  readFile(path: string): string | null;
};

type Layer = { file: string; scope: RuleScope; kind: "own" | "claude" };

/**
 * Weakest first: the compatibility layer (`.claude` settings), the user's file, the project's, the machine
 * administrator's. Later values win, lists add up, and a deny of any layer stays. AppError `config` for a file
 * that cannot be read or has a value of the wrong kind.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const { paths, cwd, environment } = options;
  const moved = environment.CLAUDE_CONFIG_DIR;
  const claudeHome = moved?.startsWith("/") ? moved : join(paths.home, ".claude");
  const layers: Layer[] = [
    { file: join(claudeHome, "settings.json"), scope: "user", kind: "claude" },
    { file: join(cwd, ".claude", "settings.json"), scope: "project", kind: "claude" },
    { file: join(cwd, ".claude", "settings.local.json"), scope: "project", kind: "claude" },
    { file: paths.configFile, scope: "user", kind: "own" },
    { file: join(cwd, ".lathe", "config.json"), scope: "project", kind: "own" },
    { file: join(cwd, ".lathe", "config.local.json"), scope: "project", kind: "own" },
    { file: paths.managedConfigFile, scope: "managed", kind: "own" },
  ];
  const loaded: LoadedConfig = {
    config: defaultConfig(),
    rules: [],
    notices: [],
    files: [...layers.map((layer) => layer.file), paths.projectRulesFile],
    origins: new Map(),
  };
  for (const layer of layers) {
    const text = options.readFile(layer.file);
    if (text === null) continue;
    const parsed = parseSettings(layer.file, text, loaded.notices);
    if (layer.kind === "claude")
      loaded.rules.push(...claudeRules(parsed, layer.scope, options.trusted, loaded.notices));
    else applyOwn(parsed, layer, options, loaded);
  }
  const ownRules = options.readFile(paths.projectRulesFile);
  if (ownRules !== null)
    loaded.rules.push(...readProjectRules(paths.projectRulesFile, ownRules, cwd, loaded.notices));
  applyEnvironment(environment, loaded);
  return loaded;
}

function applyOwn(parsed: ParsedFile, layer: Layer, options: LoadOptions, loaded: LoadedConfig): void {
  const checked = z.safeParse(configSchema, parsed.value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const path = (issue?.path ?? []) as (string | number)[];
    throw parsed.errorAt(
      path,
      `${path.join(".") || "the file"} ${issue ? expectation(issue) : "is not valid"}`,
    );
  }
  for (const text of unknownKeys(parsed.value)) {
    loaded.notices.push({ file: layer.file, text: `${layer.file}: ${text}` });
  }
  const file: ConfigFile = checked.data;
  if (file.permissionMode !== undefined) {
    const mode = parseMode(file.permissionMode);
    if (!mode.ok) throw parsed.errorAt(["permissionMode"], mode.error);
  }
  for (const effect of ["deny", "ask", "allow"] as const) {
    for (const [index, text] of (file.permissions?.[effect] ?? []).entries()) {
      const path = ["permissions", effect, index];
      const source = `${layer.file}:${parsed.lineOf(path)}`;
      const rule = checkRule(
        { text, effect, scope: layer.scope, source },
        { parsed, path, foreign: false },
        loaded.notices,
      );
      if (rule) loaded.rules.push(rule);
    }
  }
  const mayLoosen = layer.scope !== "project" || options.trusted;
  applyFile(
    file,
    { file: layer.file, scope: layer.scope, mayLoosen, home: options.paths.home, cwd: options.cwd },
    loaded,
  );
}

/** What a value should have been, in words: the schema's own are made for programs. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type")
    return `must be ${issue.expected === "record" ? "an object" : `of type ${issue.expected}`}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small")
    return `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
  return "is not valid";
}

/** Time limits of commands by the names that other tools of this kind use; milliseconds. */
function applyEnvironment(environment: LoadOptions["environment"], loaded: LoadedConfig): void {
  const seconds = (name: string): number | null => {
    const value = Number(environment[name]);
    return Number.isFinite(value) && value > 0 ? value / 1000 : null;
  };
  const usual = seconds("BASH_DEFAULT_TIMEOUT_MS");
  const most = seconds("BASH_MAX_TIMEOUT_MS");
  if (usual !== null && !loaded.origins.has("tools.commandTimeoutSec")) {
    loaded.config.tools.commandTimeoutSec = usual;
    loaded.origins.set("tools.commandTimeoutSec", "BASH_DEFAULT_TIMEOUT_MS");
  }
  if (most !== null && !loaded.origins.has("tools.commandTimeoutMaxSec")) {
    loaded.config.tools.commandTimeoutMaxSec = most;
    loaded.origins.set("tools.commandTimeoutMaxSec", "BASH_MAX_TIMEOUT_MS");
  }
}
