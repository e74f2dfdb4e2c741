import { describe, expect, it } from "vitest";
import { rulesOfText } from "./rules-file.ts";

describe("a file of rules", () => {
  it("holds texts and objects, each with its line", () => {
    const text = `[
  // nothing leaves
  "deny Bash(curl *)",
  { "effect": "allow", "tool": "bash", "match": "git log *" },
  { "effect": "ask", "tool": "read", "scope": "project", "source": "elsewhere:7" },
]`;
    expect(rulesOfText("r.json", text)).toEqual([
      { effect: "deny", tool: "bash", match: "curl *", scope: "user", source: "r.json:3" },
      { effect: "allow", tool: "bash", match: "git log *", scope: "user", source: "r.json:4" },
      { effect: "ask", tool: "read", scope: "project", source: "elsewhere:7" },
    ]);
  });

  it.each([
    ['["curl"]', "r.json:1: a rule begins with allow, ask or deny"],
    ['[\n"deny Bsh(x)"]', "r.json:2: no tool is called"],
    ['[{"effect":"no","tool":"bash"}]', "r.json:1: a rule begins with"],
    ['[{"effect":"deny"}]', 'needs a "tool"'],
    ['[{"effect":"deny","tool":"bash","match":1}]', '"match" must be a text'],
    ['[{"effect":"deny","tool":"bash","scope":"x"}]', '"scope" must be one of'],
    ["[1]", "a rule is a text or an object"],
    ["{}", "holds no list of rules"],
    ["[", "is not JSON"],
  ])("refuses %s", (text, message) => expect(() => rulesOfText("r.json", text)).toThrow(message));
});
