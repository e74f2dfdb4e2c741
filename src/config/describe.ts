import { loadConfig } from "./layers.ts";
import type { LathePaths } from "./paths.ts";
import { type ConfigNotice, readIfThere } from "./read-file.ts";
import { createTrust } from "./trust.ts";

/** One effective setting and where it comes from. */
export type ConfigEntry = { key: string; value: unknown; source: string };

/** What `lathe config` shows: every setting, its value, its source. AppError `config` for a broken file. */
export function describeConfig(options: {
  paths: LathePaths;
  cwd: string;
  environment: Record<string, string | undefined>;
}): { entries: ConfigEntry[]; notices: ConfigNotice[]; files: string[] } {
  const loaded = loadConfig({
    ...options,
    trusted: createTrust(options.paths).isTrusted(options.cwd),
    readFile: readIfThere,
  });
  const entries: ConfigEntry[] = [];
  const walk = (value: unknown, path: string[]): void => {
    const key = path.join(".");
    const deep = typeof value === "object" && value !== null && !Array.isArray(value);
    if (deep && path.length < 3 && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
    } else entries.push({ key, value: value ?? null, source: sourceOf(key, loaded.origins) });
  };
  for (const [name, value] of Object.entries(loaded.config)) walk(value, [name]);
  for (const entry of entries) entry.key = WRITTEN[entry.key] ?? entry.key;
  for (const rule of loaded.rules) {
    entries.push({ key: `permissions.${rule.effect}`, value: rule.text, source: rule.source });
  }
  return { entries, notices: loaded.notices, files: loaded.files };
}

/** Limits by the names that files use, where those within differ. */
const WRITTEN: Record<string, string> = {
  "limits.maxSteps": "limits.maxTurns",
  "limits.maxCostUsd": "limits.maxBudgetUsd",
};

function sourceOf(key: string, origins: Map<string, string>): string {
  const parts = key.split(".");
  for (let length = parts.length; length > 0; length--) {
    const found = origins.get(parts.slice(0, length).join("."));
    if (found) return found;
  }
  return "default";
}
