import { domainsOfGroup } from "../../protocol/domain-groups.ts";
import type { Rule } from "../../protocol/permission.ts";
import { tokenize } from "./tokens.ts";

/** What a rule covers, in words for the person who is asked. */
export function describeRule(rule: Rule): string {
  const verb = { allow: "Allow", deny: "Deny", ask: "Ask for" }[rule.effect];
  return `${verb} ${subjectOf(rule)}`;
}

function subjectOf(rule: Rule): string {
  const { tool, match } = rule;
  switch (tool) {
    case "*":
      return match === undefined ? "every tool" : `every tool for ${match}`;
    case "bash":
      return match === undefined ? "every command" : commandSubject(match, rule.effect);
    case "read":
      return match === undefined ? "reading any file" : `reading ${pathSubject(match)}`;
    case "edit":
      return match === undefined ? "writing any file" : `writing ${pathSubject(match)}`;
    case "fetch":
      return match === undefined ? "fetching from any public host" : `fetching from ${domainSubject(match)}`;
    case "mcp":
      return match === undefined ? "every MCP tool" : `the MCP tool ${match}`;
    default:
      return match === undefined ? `the tool ${tool}` : `the tool ${tool} for ${match}`;
  }
}

function commandSubject(match: string, effect: Rule["effect"]): string {
  const tokens = tokenize(match);
  const last = tokens.at(-1) ?? "";
  const open = last === "*" || last.endsWith(":*");
  const shown = [...tokens.slice(0, -1), open ? last.replace(/:?\*$/, "") : last].join(" ").trim();
  if (effect !== "allow") return `the command "${shown}" with any arguments, wherever it is started from`;
  if (shown === "") return "every command";
  return open ? `commands that begin with "${shown}"` : `exactly the command "${shown}"`;
}

function pathSubject(match: string): string {
  const folder = /^(.*)\/\*\*$/.exec(match)?.[1];
  const path = (folder ?? match).replace(/^\/\//, "/");
  return folder === undefined ? path : `files below ${path}/`;
}

function domainSubject(match: string): string {
  const domain = match.replace(/^domain:/, "");
  const group = domainsOfGroup(domain);
  if (group) return `the group ${domain} (${group.join(", ")})`;
  if (domain === "*") return "any public host";
  return domain.startsWith("*.") ? `hosts below ${domain.slice(2)}` : domain;
}
