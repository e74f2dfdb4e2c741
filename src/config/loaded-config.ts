import type { RuleEffect, RuleScope } from "../protocol/permission.ts";
import type { ConfigNotice } from "./read-file.ts";
import type { ResolvedConfig } from "./resolved.ts";

/** A rule as a file has it, not yet parsed: the permission room reads rule syntax. */
export type RuleText = { text: string; effect: RuleEffect; scope: RuleScope; source: string };

export type LoadedConfig = {
  config: ResolvedConfig;
  rules: RuleText[];
  notices: ConfigNotice[];
  /** Files that were looked for, there or not: a change of any of them changes the settings. */
  files: string[];
  /** Which file gave a setting, by its dotted name. */
  origins: Map<string, string>;
};
