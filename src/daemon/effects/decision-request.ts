import { decide } from "../../permission/decide.ts";
import type { JsonObject } from "../../protocol/ids.ts";
import type { PermissionDecision, ResolvedAction } from "../../protocol/permission.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import { followLinks } from "./resolve-actions.ts";

/** Decides about actions of a tool under the session's rules, grants, mode and folders, as they are now. */
export function decideFor(
  tool: Pick<ToolDefinition, "name" | "effect">,
  input: JsonObject,
  actions: ResolvedAction[],
  runtime: SessionRuntime,
): PermissionDecision {
  const { settings, grants, place, policy, options } = runtime;
  return decide({
    tool: tool.name,
    effect: tool.effect,
    input,
    actions,
    rules: settings.rules,
    grants,
    mode: runtime.actor.state.mode,
    place,
    trusted: settings.trusted,
    sandboxed: options.sandbox === "on",
    protectedNames: policy.protectedNames,
    denyRead: policy.denyRead,
    allowRead: policy.allowRead,
    readableRoots: policy.readableRoots,
    resolvePath: followLinks,
  });
}
