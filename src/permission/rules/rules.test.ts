import { describe, expect, it } from "vitest";
import { rule } from "../test-support/request.ts";
import { describeRule } from "./describe.ts";
import { parseRule } from "./parse.ts";
import { tokenize, tokenMatches } from "./tokens.ts";

const parse = (text: string, effect: "allow" | "deny" = "deny") =>
  parseRule(text, { effect, scope: "user", source: "config.json:3" });

describe("parseRule", () => {
  it.each([
    ["Bash", "bash", undefined],
    ["bash(*)", "bash", undefined],
    ["Bash(npm run *)", "bash", "npm run *"],
    ["Bash(git:*)", "bash", "git:*"],
    ["Shell(ls (x))", "bash", "ls (x)"],
    ["Read(./.env)", "read", "./.env"],
    ["Edit(src/**)", "edit", "src/**"],
    ["Write", "edit", undefined],
    ["Read(//etc/passwd)", "read", "//etc/passwd"],
    ["Read(~/notes)", "read", "~/notes"],
    ["WebFetch(domain:Example.COM.)", "fetch", "domain:example.com"],
    ["fetch(*.example.com)", "fetch", "domain:*.example.com"],
    ["mcp__github__get_issue", "mcp", "github.get_issue"],
    ["mcp__github", "mcp", "github.*"],
    ["mcp__github__*", "mcp", "github.*"],
    ["mcp(github.get_issue)", "mcp", "github.get_issue"],
    ["Agent(explorer)", "agent", "explorer"],
    ["write_file(a/**)", "write_file", "a/**"],
    ["  *  ", "*", undefined],
  ])("reads %s", (text, tool, match) => {
    expect(parse(text)).toEqual({
      ok: true,
      value: {
        effect: "deny",
        tool,
        ...(match === undefined ? {} : { match }),
        scope: "user",
        source: "config.json:3",
      },
    });
  });

  it.each([
    ["", "empty"],
    ["Bash(git push", "parentheses"],
    ["Bash git push", "in parentheses"],
    ["Bahs(x)", "did you mean bash"],
    ["constructor", "no tool is called"],
    ["WebFetch(domain:a b)", "no domain"],
    ["WebFetch(https://x.test/)", "no domain"],
    ["Read(src/[a)", "bracket"],
    ['Bash(echo "x)', "quote"],
    ["mcp__", "mcp__server__tool"],
    ["(x)", "not begin with a tool's name"],
  ])("says what is wrong with %j", (text, why) => {
    const found = parse(text);
    expect(found.ok).toBe(false);
    if (!found.ok) expect(found.error).toContain(why);
  });

  it("a broken deny rule still says what it denies, a broken allow rule allows nothing", () => {
    expect(parse("Bash(git push")).toMatchObject({ failClosed: { effect: "deny", tool: "bash" } });
    expect(parse("mcp__github(x)")).toMatchObject({ failClosed: { tool: "mcp", match: "github.*" } });
    expect(parse("Bash(git push", "allow")).not.toHaveProperty("failClosed.tool");
  });
});

describe("describeRule", () => {
  it.each([
    ["allow", "Bash(npm test)", 'Allow exactly the command "npm test"'],
    ["allow", "Bash(git commit *)", 'Allow commands that begin with "git commit"'],
    ["allow", "Bash(git:*)", 'Allow commands that begin with "git"'],
    ["allow", "Bash(make a*)", 'Allow exactly the command "make a*"'],
    ["allow", "Bash", "Allow every command"],
    ["deny", "Bash(git push)", 'Deny the command "git push" with any arguments, wherever it is started from'],
    ["allow", "Edit(src/**)", "Allow writing files below src/"],
    ["allow", "Read(//etc/hosts)", "Allow reading /etc/hosts"],
    ["allow", "WebFetch(domain:*.x.test)", "Allow fetching from hosts below x.test"],
    [
      "allow",
      "WebFetch(domain:pypi)",
      "Allow fetching from the group pypi (pypi.org, files.pythonhosted.org)",
    ],
    ["ask", "mcp__a__b", "Ask for the MCP tool a.b"],
    ["allow", "todo", "Allow the tool todo"],
    ["deny", "*", "Deny every tool"],
  ] as const)("%s %s", (effect, text, words) => expect(describeRule(rule(effect, text))).toBe(words));
});

describe("tokens", () => {
  it("are split at white space outside quotes", () => {
    expect(tokenize(`git  commit -m "a b" 'c d' e"f g"h *`)).toEqual([
      "git",
      "commit",
      "-m",
      "a b",
      "c d",
      "ef gh",
      "*",
    ]);
  });
  it("match whole words", () => {
    const yes = [
      ["a*c", "abc"],
      ["a*c", "ac"],
      ["*", ""],
      ["a*b*c", "a1b2c"],
      ["x:*", "x"],
      ["x:*", "x:y"],
    ] as const;
    const no = [
      ["a*c", "abcd"],
      ["ab*ba", "aba"],
      ["a*b*c", "acb"],
      ["x:*", "xy"],
      ["a", "ab"],
      ["a.c", "abc"],
    ] as const;
    for (const [token, word] of yes) expect(tokenMatches(token, word), `${token} ${word}`).toBe(true);
    for (const [token, word] of no) expect(tokenMatches(token, word), `${token} ${word}`).toBe(false);
  });
});
