import { loadConfig } from "../config/layers.ts";
import type { RuleText } from "../config/loaded-config.ts";
import type { LathePaths } from "../config/paths.ts";
import { readIfThere } from "../config/read-file.ts";
import { defaultConfig } from "../config/resolved.ts";
import type { Rule, RuleEffect } from "../protocol/permission.ts";
import { parseRule } from "../protocol/rule-syntax.ts";
import type { SessionOptions } from "../protocol/session.ts";
import { AppError, errorMessage } from "../shared/error.ts";
import { takeSettings } from "./sessions/session-policy.ts";
import type { SessionRuntime, SessionSettings } from "./sessions/session-runtime.ts";

/** Reads the config of a folder and the rules of the session's flags. AppError `config` for a broken file. */
export function createSettings(ports: {
  paths: LathePaths;
  privateDirs: readonly string[];
  isTrusted(path: string): boolean;
}) {
  const load = async (
    cwd: string,
    options: SessionOptions,
    environment: Record<string, string>,
  ): Promise<SessionSettings> => {
    const trusted = ports.isTrusted(cwd);
    const loaded = loadConfig({ paths: ports.paths, cwd, trusted, environment, readFile: readIfThere });
    return {
      config: loaded.config,
      rules: [...loaded.rules.map(ruleOf), ...flagRules(options)],
      trusted,
      notices: loaded.notices.map((notice) => notice.text),
    };
  };

  /**
   * Applies the config files as they are now to a session, and says what is new to be said about them; an
   * invalid file keeps the last good settings.
   */
  const refresh = async (runtime: SessionRuntime): Promise<void> => {
    const notice = (text: string): void =>
      runtime.actor.post({ type: "noticed", level: "warning", code: "config", text });
    try {
      const next = await load(runtime.place.cwd, runtime.options, runtime.environment);
      const said = new Set(runtime.settings.notices);
      for (const text of next.notices) if (!said.has(text)) notice(text);
      takeSettings(runtime, next, ports.privateDirs);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      notice(`${errorMessage(error)}. The settings from before stay in force.`);
    }
  };
  return { load, refresh };
}

/** Minutes of idleness after which the daemon ends; a broken file must not keep it from starting. */
export function idleMinutesOf(paths: LathePaths, log: (text: string) => void): number | null {
  const options = { paths, cwd: paths.configDir, trusted: false, environment: {}, readFile: readIfThere };
  try {
    return loadConfig(options).config.daemon.idleMinutes;
  } catch (error) {
    log(`the default of daemon.idleMinutes is used: ${errorMessage(error)}`);
    return defaultConfig().daemon.idleMinutes;
  }
}

/** A rule of a file; the config room has checked that it can be read. */
function ruleOf(written: RuleText): Rule {
  const parsed = parseRule(written.text, written);
  if (parsed.ok) return parsed.value;
  throw new AppError("config", `${written.source}: ${parsed.error}`);
}

function flagRules(options: SessionOptions): Rule[] {
  const rules = (texts: string[] | undefined, effect: RuleEffect, flag: string): Rule[] =>
    (texts ?? []).map((text) => {
      const parsed = parseRule(text, { effect, scope: "flag", source: flag });
      if (!parsed.ok) throw new AppError("bad_input", `${flag}: ${parsed.error}`);
      return parsed.value;
    });
  return [
    ...rules(options.allowedTools, "allow", "--allowed-tools"),
    ...rules(options.disallowedTools, "deny", "--disallowed-tools"),
  ];
}
