import type { PermissionDecision, Rule } from "../../protocol/permission.ts";
import type { DecideRequest } from "../request.ts";
import { tokenMatches } from "../rules/tokens.ts";
import {
  allowed,
  asked,
  denied,
  deniedByMode,
  deniedByRule,
  type JudgeContext,
  ruleText,
  suggestion,
} from "./context.ts";

type McpCall = NonNullable<DecideRequest["mcp"]>;

/** The MCP call that a request is, or null. */
export function mcpCallOf(request: DecideRequest): McpCall | null {
  if (request.mcp) return request.mcp;
  if (request.tool.startsWith("mcp__")) {
    const [server = "", ...tool] = request.tool.slice(5).split("__");
    return { server, tool: tool.join("__"), source: "user" };
  }
  const { server, tool } = request.input;
  if (request.tool !== "mcp_call" || typeof server !== "string" || typeof tool !== "string") return null;
  return { server, tool, source: "user" };
}

/** Decides about a call of an MCP tool. What a server says about its tools is a claim and decides nothing. */
export function judgeMcp(call: McpCall, context: JudgeContext): PermissionDecision {
  const { request } = context;
  const name = `${call.server}.${call.tool}`;
  const what = `the MCP tool ${name}`;
  const covers = (rule: Rule): boolean =>
    (rule.tool === "mcp" || rule.tool === "*" || rule.tool === request.tool) &&
    (rule.match === undefined || tokenMatches(rule.match, name) || rule.match === call.server);
  const denyRule = context.deny.find(covers);
  if (denyRule) return deniedByRule(denyRule, what);
  if (call.source === "project" && !request.trusted) {
    return denied("builtin", `${what} belongs to a server of this project, and its folder is not trusted.`, {
      wayOut: "The user can trust the folder with `lathe trust`.",
    });
  }
  if (request.mode === "read-only") return deniedByMode(what);
  const askRule = context.ask.find(covers);
  if (askRule)
    return asked("ask_rule", `the rule ${ruleText(askRule)} asks for it`, { rule: askRule, parts: [what] });
  const allow = context.allow.find(({ rule }) => covers(rule));
  if (allow)
    return allowed(allow.layer, `allowed by the rule ${ruleText(allow.rule)}`, "workspace-write", allow.rule);
  if (request.mode === "bypass") return allowed("mode", "bypass mode lets it pass", "workspace-write");
  return asked("effect", `no rule decides about ${what}`, {
    parts: [what],
    suggestions: [suggestion("mcp", name)],
  });
}
