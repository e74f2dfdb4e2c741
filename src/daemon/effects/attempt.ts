import type { Effect } from "../../engine/effect.ts";
import type { ToolFact } from "../../engine/input.ts";
import type { ResolvedAction, SandboxProfileName } from "../../protocol/permission.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";

/** What one attempt may do. */
export type RunRights = {
  profile: SandboxProfileName;
  /** True when a person approved this exact call: its paths outside the roots and protected ones are then open. */
  approved: boolean;
  actions: ResolvedAction[];
  /** Folders outside the roots that a person opened to the command of this call. */
  extraRoots: string[];
  /** `compared`: the command was recognised as one that writes git's configuration, and that was let through. */
  gitConfig: "pinned" | "compared";
  /** Bare, by the flag of the session and never otherwise. */
  unsandboxed: boolean;
};

/** One attempt at a call. */
export type Attempt = {
  effect: Extract<Effect, { type: "run_tool" }>;
  tool: ToolDefinition;
  rights: RunRights;
  signal: AbortSignal;
  /** Facts that the attempt adds to the end of its call. */
  facts: ToolFact[];
};
