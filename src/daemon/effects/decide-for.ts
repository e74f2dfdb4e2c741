import { decide } from "../../permission/decide.ts";
import { describeRule } from "../../permission/rules/describe.ts";
import type { JsonObject } from "../../protocol/ids.ts";
import type {
  Grant,
  PermissionDecision,
  PermissionMode,
  ResolvedAction,
  Rule,
} from "../../protocol/permission.ts";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import type { Place, ToolDefinition } from "../../protocol/tool.ts";
import { spellOut } from "../../shared/text.ts";
import type { SessionRuntime, SessionSettings } from "../sessions/session-runtime.ts";
import { followLinks } from "./resolve-actions.ts";

/** What decisions of a session stand on. */
export type Standing = {
  settings: Pick<SessionSettings, "rules" | "trusted">;
  grants: Grant[];
  mode: PermissionMode;
  place: Place;
  policy: SandboxPolicy;
  sandboxed: boolean;
};

/** Rules, grants, mode and folders of a session, as they are now. */
export function standingOf(runtime: SessionRuntime): Standing {
  const { settings, grants, place, policy, options, actor } = runtime;
  return { settings, grants, place, policy, mode: actor.state.mode, sandboxed: options.sandbox === "on" };
}

/** Decides about actions of a tool. The only caller of the permission room. */
export function decideFor(
  tool: Pick<ToolDefinition, "name" | "effect">,
  input: JsonObject,
  actions: ResolvedAction[],
  { settings, grants, mode, place, policy, sandboxed }: Standing,
): PermissionDecision {
  return decide({
    tool: tool.name,
    effect: tool.effect,
    input,
    actions,
    rules: settings.rules,
    grants,
    mode,
    place,
    trusted: settings.trusted,
    sandboxed,
    protectedNames: policy.protectedNames,
    denyRead: policy.denyRead,
    allowRead: policy.allowRead,
    readableRoots: policy.readableRoots,
    resolvePath: followLinks,
  });
}

/** What each rule covers, in words, with control and invisible characters spelled out. */
export const rulesInWords = (rules: readonly Rule[]): string[] =>
  rules.map((rule) => spellOut(describeRule(rule)));
