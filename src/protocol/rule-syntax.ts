import type { Rule, RuleEffect, RuleScope } from "./permission.ts";
import type { Parsed } from "./tool.ts";

/**
 * The text form of rules: `bash(npm run *)`, `edit(src/**)`, `fetch(domain:example.com)`. Claude Code's
 * spelling (`Bash(git:*)`, `Read(./.env)`, `mcp__server__tool`) is read as the same rules.
 */

/** What is wrong with a rule; `failClosed` is what a broken deny rule still denies, when its tool is known. */
export type RuleParse = { ok: true; value: Rule } | { ok: false; error: string; failClosed?: Rule };

/** Names of tools and families in rules, by what people write in lower case. */
const NAMES: Readonly<Record<string, string>> = {
  bash: "bash",
  shell: "bash",
  bash_executor: "bash",
  run_command: "bash",
  run_shell_command: "bash",
  local_shell: "bash",
  read: "read",
  view: "read",
  edit: "edit",
  write: "edit",
  multiedit: "edit",
  notebookedit: "edit",
  update: "edit",
  fetch: "fetch",
  webfetch: "fetch",
  websearch: "web_search",
  mcp: "mcp",
  glob: "file_search",
  grep: "search_code",
  ls: "list_files",
  agent: "agent",
  task: "agent",
  todowrite: "todo",
  skill: "load_skill",
  file_read: "read_file",
  file_write: "write_file",
  str_replace: "edit_file",
};

/** Our own tools, by canonical name. */
const TOOLS = [
  "read_file",
  "write_file",
  "edit_file",
  "text_editor",
  "file_search",
  "search_code",
  "list_files",
  "web_fetch",
  "web_search",
  "todo",
  "load_skill",
  "compact",
  "task_create",
  "task_update",
  "task_list",
  "task_get",
  "background_run",
  "background_check",
  "ask_user",
  "mcp_call",
  "mcp_search",
  "recall_search",
  "recall_read",
  "recall_result",
];

/** Reads one rule. The error names what is wrong and how a right one looks. */
export function parseRule(
  text: string,
  about: { effect: RuleEffect; scope: RuleScope; source: string },
): RuleParse {
  const trimmed = text.trim();
  const match = /^([A-Za-z][\w.*-]*|\*)\s*(?:\((.*)\))?$/s.exec(trimmed);
  if (!match) return broken(trimmed, about);
  const [, name = "", inside] = match;
  if (trimmed.includes("\0")) return fail("it holds a NUL character", name, about);
  if (name.toLowerCase().startsWith("mcp__")) return mcpRule(name, inside, about);
  const tool = toolName(name);
  if (tool === null) return { ok: false, error: unknownTool(name) };
  if (inside === undefined) return { ok: true, value: { ...about, tool } };
  const spec = inside.trim();
  if (spec === "" || spec === "*" || spec === "**") return { ok: true, value: { ...about, tool } };
  const checked = checkSpec(tool, spec);
  return checked.ok
    ? { ok: true, value: { ...about, tool, match: checked.value } }
    : fail(checked.error, name, about);
}

/** The canonical name of a tool or family in a rule, or null for one that nobody knows. */
export function toolName(name: string): string | null {
  if (name === "*") return "*";
  const lower = name.toLowerCase();
  if (Object.hasOwn(NAMES, lower)) return NAMES[lower] ?? null;
  return TOOLS.includes(lower) ? lower : null;
}

function broken(text: string, about: { effect: RuleEffect; scope: RuleScope; source: string }): RuleParse {
  if (text === "") return { ok: false, error: "the rule is empty; write for example bash(npm test)" };
  const name = /^[A-Za-z]\w*/.exec(text)?.[0];
  const what =
    name === undefined
      ? "it does not begin with a tool's name"
      : text.includes("(")
        ? "its parentheses do not close at the end"
        : "what follows the tool's name must stand in parentheses";
  return fail(`${what}; a rule is Tool or Tool(pattern), for example bash(npm test)`, name, about, text);
}

function fail(
  problem: string,
  name: string | undefined,
  about: { effect: RuleEffect; scope: RuleScope; source: string },
  text = name ?? "",
): RuleParse {
  const tool = name === undefined ? null : toolName(name);
  const failClosed = about.effect === "deny" && tool !== null ? { ...about, tool } : undefined;
  return { ok: false, error: `the rule "${text}" cannot be used: ${problem}`, failClosed };
}

function mcpRule(
  name: string,
  inside: string | undefined,
  about: { effect: RuleEffect; scope: RuleScope; source: string },
): RuleParse {
  const [server = "", ...rest] = name.slice(5).split("__");
  const tool = rest.join("__") || "*";
  if (server === "" || (inside !== undefined && inside.trim() !== "*")) {
    const error = `the rule "${name}" cannot be used: write mcp__server, mcp__server__tool or mcp(server.tool)`;
    return about.effect === "deny"
      ? { ok: false, error, failClosed: { ...about, tool: "mcp", match: server ? `${server}.*` : undefined } }
      : { ok: false, error };
  }
  return { ok: true, value: { ...about, tool: "mcp", match: `${server}.${tool}` } };
}

function checkSpec(tool: string, spec: string): Parsed<string> {
  if (tool === "fetch" || tool === "web_fetch") return domainSpec(spec);
  if (tool === "bash" && (spec.match(/"/g)?.length ?? 0) % 2 === 1) {
    return { ok: false, error: "a quote does not close" };
  }
  if ((tool === "read" || tool === "edit") && /\[[^\]]*$/.test(spec)) {
    return { ok: false, error: "a bracket does not close" };
  }
  return { ok: true, value: spec };
}

function domainSpec(spec: string): Parsed<string> {
  const host = (spec.startsWith("domain:") ? spec.slice(7) : spec).toLowerCase().replace(/\.$/, "");
  if (/^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/.test(host)) {
    return { ok: true, value: `domain:${host}` };
  }
  return { ok: false, error: `"${spec}" is no domain; write domain:example.com or domain:*.example.com` };
}

function unknownTool(name: string): string {
  const all = [...new Set([...Object.keys(NAMES), ...TOOLS])];
  const near = all.find((one) => isNear(one, name.toLowerCase()));
  const hint = near
    ? `; did you mean ${near}?`
    : "; tools are bash, read, edit, fetch, mcp and the names of single tools";
  return `no tool is called "${name}"${hint}`;
}

/** True when one edit, or two swapped letters, makes one word of the other. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const tails = [
    [a.slice(at + 1), b.slice(at + 1)],
    [a.slice(at + 1), b.slice(at)],
    [a.slice(at), b.slice(at + 1)],
  ];
  if (tails.some(([left, right]) => left === right)) return true;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
