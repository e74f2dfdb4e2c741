import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseMode } from "../../config/modes.ts";
import type { JsonObject } from "../../protocol/ids.ts";
import type { PermissionDecision, Rule } from "../../protocol/permission.ts";
import { AppError, errorMessage } from "../../shared/error.ts";
import { type CliHost, print, say } from "../host.ts";
import { rulesOfText } from "./rules-file.ts";
import { commandArgs, usage } from "./subcommand-args.ts";

/** `lathe permissions test|list` */
export async function permissionsCommand(host: CliHost, args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  if (verb === "test") return await test(host, rest);
  if (verb === "list") return await list(host, rest);
  throw usage(`lathe permissions has no "${verb ?? ""}"`, "permissions");
}

async function test(host: CliHost, args: string[]): Promise<number> {
  const { values, positionals } = commandArgs("permissions test", args, {
    mode: { type: "string" },
    rules: { type: "string" },
    json: { type: "boolean" },
  });
  const [tool, text] = positionals;
  if (tool === undefined || text === undefined)
    throw usage("lathe permissions test needs TOOL and JSON", "permissions");
  const mode = values.mode === undefined ? undefined : parseMode(values.mode);
  if (mode && !mode.ok) throw usage(`--mode: ${mode.error}`, "permissions");
  const client = await host.connect();
  try {
    const { decision, words } = await client.call("permission.test", {
      cwd: host.cwd,
      tool,
      input: parseJson(text, "the arguments") as JsonObject,
      mode: mode?.ok ? mode.value : undefined,
      rules: values.rules === undefined ? undefined : readRules(host, values.rules),
    });
    print(host, values.json ? JSON.stringify(decision, null, 2) : decisionText(decision, words));
    return 0;
  } finally {
    client.close();
  }
}

function decisionText(decision: PermissionDecision, words: string[]): string {
  const lines = [`${decision.type} (${decision.layer.replaceAll("_", " ")}): ${decision.reason}`];
  if (decision.rule) lines.push(`rule: ${ruleText(decision.rule)}, ${decision.rule.source}`);
  if (decision.type !== "deny") lines.push(`sandbox profile: ${decision.profile}`);
  if (decision.type === "ask") {
    for (const part of decision.parts) lines.push(`  asks about: ${part}`);
    for (const [index, rule] of decision.suggestions.entries())
      lines.push(`  "always" would add: ${ruleText(rule)} (${words[index]})`);
  }
  return lines.join("\n");
}

async function list(host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("permissions list", args, { json: { type: "boolean" } });
  const client = await host.connect();
  try {
    const listed = await client.call("permission.list", { cwd: host.cwd });
    if (values.json) {
      print(host, JSON.stringify(listed, null, 2));
      return 0;
    }
    print(host, `mode ${listed.mode}; this folder is ${listed.trusted ? "trusted" : "not trusted"}`);
    for (const rule of listed.rules) print(host, `${ruleText(rule)}  (${rule.scope}, ${rule.source})`);
    if (listed.rules.length === 0) say(host, "No rules; the mode and the tool's effect decide.");
    return 0;
  } finally {
    client.close();
  }
}

const ruleText = (rule: Rule): string =>
  `${rule.effect} ${rule.tool}${rule.match === undefined ? "" : `(${rule.match})`}`;

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("usage", `${what} are not JSON: ${errorMessage(error)}`);
  }
}

function readRules(host: CliHost, file: string): Rule[] {
  let text: string;
  try {
    text = readFileSync(resolve(host.cwd, file), "utf8");
  } catch (error) {
    throw new AppError("usage", `--rules ${file} cannot be read: ${errorMessage(error)}`);
  }
  return rulesOfText(file, text);
}
