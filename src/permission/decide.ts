import type { PermissionDecision, ResolvedAction } from "../protocol/permission.ts";
import { judgeCommand } from "./judge/command.ts";
import { type AskDecision, allowed, asked, type JudgeContext, judgeContext } from "./judge/context.ts";
import { judgeMcp, mcpCallOf } from "./judge/mcp.ts";
import { judgePath } from "./judge/path.ts";
import { judgeTool } from "./judge/tool.ts";
import { judgeUrl } from "./judge/url.ts";
import type { DecideRequest } from "./request.ts";

/** Parameters by which a call would give itself rights, whatever the tool makes of them. */
const RIGHTS =
  /^(writable_?roots?|roots?|sandbox(_?(mode|policy|permissions))?|unsandboxed|dangerously\w*|permissions?|permission_?mode|policy|trusted|allowed_?domains|deny_?read|with_?escalated_?permissions|env|environment)$/i;

/**
 * Decides about one call, for each thing that it would touch, in the order of the design: deny rule or secret,
 * read-only mode, protected path, ask rule, allow rule or grant, mode, effect. The strictest answer wins.
 */
export function decide(request: DecideRequest): PermissionDecision {
  const context = judgeContext(request);
  const decisions = [...judgeAll(context), ...judgeParameters(request)];
  const deny = decisions.find((decision) => decision.type === "deny");
  if (deny) return deny;
  const asks = decisions.filter((decision) => decision.type === "ask");
  if (asks.length > 0) return mergeAsks(asks);
  const allows = decisions.filter((decision) => decision.type === "allow");
  return (
    allows.find((decision) => decision.profile === "workspace-write") ??
    allows[0] ??
    allowed("effect", "it touches nothing", "read-only")
  );
}

function judgeAll(context: JudgeContext): PermissionDecision[] {
  const { request } = context;
  const call = mcpCallOf(request);
  if (call) return [judgeMcp(call, context)];
  if (request.actions.length === 0) return [judgeTool(context)];
  return request.actions.map((action) => judgeAction(action, context));
}

function judgeAction(action: ResolvedAction, context: JudgeContext): PermissionDecision {
  switch (action.type) {
    case "read_path":
    case "write_path":
      return judgePath(action, context);
    case "run_command":
      return judgeCommand(action, context);
    case "fetch_url":
      return judgeUrl(action.url, context);
    case "ask_user":
    case "session_state":
      return judgeTool({ ...context, request: { ...context.request, effect: "none" } });
  }
}

/** A call that names rights of its own is asked for, in every mode: they change nothing. */
function judgeParameters(request: DecideRequest): PermissionDecision[] {
  if (mcpCallOf(request)) return [];
  const named = [
    ...(request.unknownParameters ?? []),
    ...(request.effect === "none" ? [] : Object.keys(request.input).filter((name) => RIGHTS.test(name))),
  ];
  if (named.length === 0) return [];
  const list = [...new Set(named)].join(", ");
  return [
    asked(
      "invalid",
      `it names what ${request.tool} does not take (${list}); a call cannot give itself rights`,
      {
        parts: [`${request.tool} with ${list}`],
        onceOnly: true,
      },
    ),
  ];
}

/** One question for all: the strictest layer speaks, and one answer for all must be possible. */
function mergeAsks(asks: AskDecision[]): AskDecision {
  const order = ["protected_path", "invalid", "ask_rule", "effect", "mode"];
  const sorted = asks.toSorted((a, b) => order.indexOf(a.layer) - order.indexOf(b.layer));
  const first = sorted[0] as AskDecision;
  const onceOnly = asks.some((one) => one.onceOnly);
  const whole = asks.every((one) => one.suggestions.length > 0) && !onceOnly;
  const outside = asks.flatMap((one) => one.writesOutside ?? []);
  return {
    ...first,
    parts: asks.flatMap((one) => one.parts),
    suggestions: whole ? asks.flatMap((one) => one.suggestions) : [],
    profile: asks.some((one) => one.profile === "workspace-write") ? "workspace-write" : "read-only",
    onceOnly,
    ...(outside.length > 0 ? { writesOutside: outside } : {}),
  };
}
