import { readFileSync, statSync } from "node:fs";
import { loadConfig } from "../config/layers.ts";
import type { LoadedConfig, RuleText } from "../config/loaded-config.ts";
import type { LathePaths } from "../config/paths.ts";
import { parseRule } from "../permission/rules/parse.ts";
import type { Rule, RuleEffect } from "../protocol/permission.ts";
import type { SessionOptions } from "../protocol/session.ts";
import { AppError, errorCode, errorMessage } from "../shared/error.ts";
import type { SessionRuntime, SessionSettings } from "./sessions/session-runtime.ts";

/** Reads the config of a folder and the rules of the session's flags. AppError `config` for a broken file. */
export function createSettings(ports: { paths: LathePaths; isTrusted(path: string): boolean }) {
  const load = async (
    cwd: string,
    options: SessionOptions,
    environment: Record<string, string>,
  ): Promise<SessionSettings & { stamp: string }> => {
    const trusted = ports.isTrusted(cwd);
    const loaded = loadConfig({ paths: ports.paths, cwd, trusted, environment, readFile: readIfThere });
    return {
      config: loaded.config,
      rules: [...loaded.rules.flatMap(ruleOf), ...flagRules(options)],
      trusted,
      notices: loaded.notices.map((notice) => notice.text),
      stamp: stampOf(loaded),
    };
  };

  /** Applies changed config files to a session; an invalid file keeps the last good settings and says so. */
  const refresh = async (runtime: SessionRuntime): Promise<void> => {
    try {
      const next = await load(runtime.place.cwd, runtime.options, runtime.environment);
      runtime.settings = next;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      runtime.actor.post({
        type: "noticed",
        level: "warning",
        code: "config",
        text: `${errorMessage(error)}. The settings from before stay in force.`,
      });
    }
  };
  return { load, refresh };
}

/** A file that is not there is no settings; one that cannot be read is an error, or its rules would be lost. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new AppError("config", `${path} cannot be read (${code ?? errorMessage(error)})`, { cause: error });
  }
}

/** Names and times of the files read, to see a change without reading them. */
function stampOf(loaded: LoadedConfig): string {
  return loaded.files
    .map((file) => {
      try {
        return `${file}:${statSync(file).mtimeMs}`;
      } catch {
        return `${file}:-`;
      }
    })
    .join("|");
}

/**
 * A rule of a file. One that cannot be read is not lost: a broken deny or ask rule stops everything with its
 * place; a broken allow rule allows nothing.
 */
function ruleOf(written: RuleText): Rule[] {
  const parsed = parseRule(written.text, written);
  if (parsed.ok) return [parsed.value];
  throw new AppError(
    "config",
    `${written.source}: the ${written.effect} rule "${written.text}" is not valid: ${parsed.error}`,
  );
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
