import type { JsonObject } from "../../protocol/ids.ts";
import type { PermissionMode, ResolvedAction, Rule, RuleEffect } from "../../protocol/permission.ts";
import type { ToolEffect } from "../../protocol/tool.ts";
import type { DecideRequest } from "../request.ts";
import { parseRule } from "../rules/parse.ts";

/** What a session guards when nothing else is configured, for tests of the decision. */
export const PROTECTED = [
  ".git/hooks",
  ".git/config",
  ".gitconfig",
  ".bashrc",
  ".zshrc",
  ".profile",
  ".mcp.json",
  ".lathe",
  ".claude",
];
export const SECRETS = [
  "~/.ssh",
  "~/.aws",
  "~/.netrc",
  "~/.config/gcloud",
  "~/.config/lathe/credentials.json",
  ".env",
  ".env.*",
  "!.env.example",
];

/** A rule as a person writes it. */
export function rule(effect: RuleEffect, text: string, scope: Rule["scope"] = "user"): Rule {
  const parsed = parseRule(text, { effect, scope, source: "test:1" });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

const EFFECTS: Record<string, ToolEffect> = { bash: "execute", read_file: "read", web_fetch: "network" };

/** A request of a session in /w with the home /h. */
export function request(
  tool: string,
  input: JsonObject,
  actions: ResolvedAction[],
  rest: Partial<DecideRequest> = {},
): DecideRequest {
  return {
    tool,
    effect: EFFECTS[tool] ?? "write",
    input,
    actions,
    rules: [],
    grants: [],
    mode: "ask",
    place: { cwd: "/w", roots: ["/w"], home: "/h" },
    trusted: true,
    sandboxed: true,
    protectedNames: PROTECTED,
    denyRead: SECRETS,
    ...rest,
  };
}

/** A request to run shell text. */
export function command(
  text: string,
  mode: PermissionMode,
  rules: Rule[] = [],
  rest: Partial<DecideRequest> = {},
) {
  const action: ResolvedAction = {
    type: "run_command",
    command: text,
    cwd: "/w",
    network: false,
    unsandboxed: false,
  };
  return request("bash", { command: text }, [action], { mode, rules, ...rest });
}

/** A request to write a file. */
export function write(
  path: string,
  mode: PermissionMode,
  rules: Rule[] = [],
  realPath = path,
): DecideRequest {
  return request("write_file", { path }, [{ type: "write_path", path, realPath, change: "create" }], {
    mode,
    rules,
  });
}

/** A request to read a file. */
export function read(path: string, mode: PermissionMode, rules: Rule[] = [], realPath = path): DecideRequest {
  return request("read_file", { path }, [{ type: "read_path", path, realPath }], { mode, rules });
}

/** A request to fetch a URL. */
export function fetchUrl(url: string, mode: PermissionMode, rules: Rule[] = []): DecideRequest {
  return request("web_fetch", { url }, [{ type: "fetch_url", url }], { mode, rules });
}
