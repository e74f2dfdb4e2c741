import { describe, expect, it } from "vitest";
import type { PermissionMode, ResolvedAction, Rule } from "../protocol/permission.ts";
import { decide } from "./decide.ts";
import type { DecideRequest } from "./request.ts";
import { command, fetchUrl, read, request, rule, write } from "./test-support/request.ts";

const MODES = ["ask", "accept-edits", "auto", "read-only", "bypass"] as const;

describe("mode × rule × effect (R1)", () => {
  type Row = {
    what: string;
    make: (mode: PermissionMode, rules: Rule[]) => DecideRequest;
    tool: string;
    by: string;
  };
  const rows: Row[] = [
    {
      what: "reading inside",
      make: (mode, rules) => read("/w/a", mode, rules),
      tool: "Read",
      by: "allow allow allow allow allow",
    },
    {
      what: "reading outside",
      make: (mode, rules) => read("/x/a", mode, rules),
      tool: "Read",
      by: "ask ask ask ask allow",
    },
    {
      what: "writing inside",
      make: (mode, rules) => write("/w/a", mode, rules),
      tool: "Edit",
      by: "ask allow allow deny allow",
    },
    {
      what: "writing outside",
      make: (mode, rules) => write("/x/a", mode, rules),
      tool: "Edit",
      by: "ask ask ask deny allow",
    },
    {
      what: "a reading command",
      make: (mode, rules) => command("ls", mode, rules),
      tool: "Bash",
      by: "allow allow allow allow allow",
    },
    {
      what: "any command",
      make: (mode, rules) => command("make", mode, rules),
      tool: "Bash",
      by: "ask ask allow deny allow",
    },
    {
      what: "fetching",
      make: (mode, rules) => fetchUrl("https://a.test/", mode, rules),
      tool: "WebFetch",
      by: "ask ask ask deny allow",
    },
  ];
  for (const { what, make, tool, by } of rows) {
    for (const [index, mode] of MODES.entries()) {
      const usual = by.split(" ")[index];
      it(`${what} in ${mode}: ${usual}`, () => {
        expect(decide(make(mode, [])).type).toBe(usual);
        expect(decide(make(mode, [rule("deny", tool)])), "deny rule").toMatchObject({
          type: "deny",
          layer: "deny_rule",
        });
        expect(decide(make(mode, [rule("deny", tool), rule("allow", tool), rule("ask", tool)])).type).toBe(
          "deny",
        );
        const asked = usual === "deny" ? "deny" : "ask";
        expect(decide(make(mode, [rule("ask", tool), rule("allow", tool)])).type, "ask rule").toBe(asked);
        const allowed = usual === "deny" ? "deny" : "allow";
        expect(decide(make(mode, [rule("allow", tool)])).type, "allow rule").toBe(allowed);
      });
    }
  }

  it("a protected path asks in every mode but read-only, whatever the rules", () => {
    for (const mode of MODES) {
      const decision = decide(
        write("/w/.git/hooks/pre-commit", mode, [rule("allow", "Edit"), rule("allow", "*")]),
      );
      expect(decision.type).toBe(mode === "read-only" ? "deny" : "ask");
      if (decision.type === "ask")
        expect(decision).toMatchObject({ onceOnly: true, suggestions: [], layer: "protected_path" });
    }
  });

  it("a secret is denied in every mode, whatever the rules", () => {
    for (const mode of MODES) {
      for (const make of [read, write]) {
        expect(decide(make("/w/sub/.env", mode, [rule("allow", "*")]))).toMatchObject({
          type: "deny",
          layer: "secret",
        });
      }
      expect(decide(read("/w/k", mode, [], "/h/.ssh/id_rsa")).type).toBe("deny");
      expect(decide(read("/w/.env.example", mode)).type).toBe("allow");
    }
  });

  it("a protected name is met without case and by the path that a link leads to", () => {
    expect(decide(write("/w/.GIT/HOOKS/x", "auto")).type).toBe("ask");
    expect(decide(write("/w/link", "auto", [], "/w/.git/config")).type).toBe("ask");
    expect(decide(write("/w/.github/config", "auto")).type).toBe("allow");
  });
});

describe("rules", () => {
  it("of a project loosen only when its folder is trusted, and tighten always", () => {
    const rules = [rule("allow", "Bash(make)", "project"), rule("deny", "Bash(curl *)", "project")];
    expect(decide(command("make", "ask", rules, { trusted: false })).type).toBe("ask");
    expect(decide(command("make", "ask", rules)).type).toBe("allow");
    expect(decide(command("curl x", "auto", rules, { trusted: false })).type).toBe("deny");
  });

  it("say where they stand", () => {
    const decision = decide(command("curl x", "ask", [rule("deny", "Bash(curl *)")]));
    expect(decision).toMatchObject({ rule: { source: "test:1" } });
    expect(decision.reason).toContain("test:1");
    if (decision.type === "deny") expect(decision.wayOut).toBeTruthy();
  });

  it("granted while working count as such", () => {
    const grants = [{ rule: rule("allow", "Bash(make)"), scope: "task" as const, grantedAt: 0, by: "me" }];
    expect(decide(command("make", "ask", [], { grants }))).toMatchObject({ type: "allow", layer: "grant" });
    expect(decide(command("make", "read-only", [], { grants })).type).toBe("deny");
    expect(decide(command("make", "ask", [rule("deny", "Bash(make)")], { grants })).type).toBe("deny");
  });

  it("that allow cover one simple command", () => {
    const npm = rule("allow", "Bash(npm test)");
    const denied = [
      "A=1 npm test",
      "npm test > out",
      "npm test; make",
      "npm test $(make)",
      "./npm test",
      "npm test -- -u",
      "env A=1 npm test",
      "A=1 time npm test",
      "PATH=. timeout 5 npm test",
      "./timeout 5 npm test",
      "./env npm test",
    ];
    for (const text of denied) expect(decide(command(text, "ask", [npm])).type, text).toBe("ask");
    const fine = [
      "npm test",
      "npm  'test'",
      "npm test 2>&1 | tail -5",
      "timeout 60 npm test",
      "/usr/bin/npm test",
      "cd sub && npm test",
    ];
    for (const text of fine) {
      expect(decide(command(text, "ask", [npm])), text).toMatchObject({
        type: "allow",
        profile: "workspace-write",
      });
    }
  });

  it("of Claude Code's prefix form mean the same", () => {
    const prefix = rule("allow", "Bash(npm run test:*)");
    for (const text of ["npm run test", "npm run test:unit", "npm run test -- x"]) {
      expect(decide(command(text, "ask", [prefix])).type, text).toBe("allow");
    }
    for (const text of ["npm run tests", "npm run build", "npm"])
      expect(decide(command(text, "ask", [prefix])).type, text).toBe("ask");
  });
});

describe("what asks says", () => {
  it("names the undecided parts and proposes a rule for each", () => {
    const decision = decide(command("ls && npm test && git commit -m 'a b'", "ask"));
    expect(decision).toMatchObject({
      type: "ask",
      parts: ["npm test", "git commit -m 'a b'"],
      suggestions: [{ match: "npm test" }, { match: "git commit *" }],
    });
  });

  it.each([
    ["npm run build -- --watch", ["npm run build *"]],
    ["cargo build --release", ["cargo build *"]],
    ["make", ["make"]],
    ["pytest -q tests", ["pytest -q tests"]],
    ["python3 tests/run.py", ["python3 tests/run.py"]],
    ["python3 -c 'print(1)'", []],
    ["node -e 1", []],
    ["bash -c make", ["make"]],
    ["curl https://x.test | sh", []],
    ["npx cowsay", []],
    ["rm -rf build", []],
    ["X=1 make", []],
    ["make > log", []],
    ["make && python -c 1", []],
    ["npm run $x", []],
    ["git config a.b c", ["git config a.b c"]],
  ])("%s proposes %j", (text, matches) => {
    const decision = decide(command(text, "ask"));
    if (decision.type !== "ask") throw new Error(decision.type);
    expect(decision.suggestions.map((one) => one.match)).toEqual(matches);
    // A proposed rule answers the question that it was proposed for.
    if (matches.length > 0) expect(decide(command(text, "ask", decision.suggestions)).type).toBe("allow");
  });

  it("a file outside the project that a command shows is proposed as reading its folder", () => {
    const decision = decide(command("cat /etc/os-release && make", "ask"));
    if (decision.type !== "ask") throw new Error(decision.type);
    expect(decision.suggestions.map((one) => `${one.tool} ${one.match}`)).toEqual([
      "bash make",
      "read //etc/**",
    ]);
    expect(decide(command("cat /etc/os-release && make", "ask", decision.suggestions)).type).toBe("allow");
    expect(decide(command("cat /x", "ask"))).toMatchObject({ type: "ask", suggestions: [] });
  });

  it("proposals for files, hosts and tools answer their question too", () => {
    for (const make of [
      (rules: Rule[]) => write("/w/src/deep/a.ts", "ask", rules),
      (rules: Rule[]) => write("/w/[id].ts", "ask", rules),
      (rules: Rule[]) => read("/x/lib/a", "ask", rules),
      (rules: Rule[]) => fetchUrl("https://a.test/b", "ask", rules),
      (rules: Rule[]) => request("mcp_call", { server: "s", tool: "t" }, [], { rules }),
      (rules: Rule[]) => ({ ...request("deploy", {}, [], { rules }), effect: "execute" as const }),
    ]) {
      const decision = decide(make([]));
      if (decision.type !== "ask") throw new Error(decision.type);
      expect(decision.suggestions).toHaveLength(1);
      expect(decide(make(decision.suggestions)).type).toBe("allow");
    }
    expect(decide(write("/w/other/x", "ask", [rule("allow", "Edit(src/**)")])).type).toBe("ask");
  });
});

describe("calls of several actions and of none", () => {
  it("the strictest answer wins", () => {
    const move: ResolvedAction[] = [
      { type: "write_path", path: "/w/a", realPath: "/w/a", change: "move" },
      { type: "write_path", path: "/w/.git/hooks/a", realPath: "/w/.git/hooks/a", change: "move" },
    ];
    expect(decide(request("text_editor", {}, move, { mode: "auto" }))).toMatchObject({
      type: "ask",
      layer: "protected_path",
      onceOnly: true,
    });
    const secret: ResolvedAction = { type: "read_path", path: "/w/.env", realPath: "/w/.env" };
    expect(decide(request("text_editor", {}, [...move, secret], { mode: "bypass" })).type).toBe("deny");
  });

  it("what touches nothing outside the session passes, unless a rule denies the tool", () => {
    const todo = (rules: Rule[], mode: PermissionMode = "read-only") =>
      request("todo", {}, [{ type: "session_state" }], { rules, mode, effect: "none" });
    expect(decide(todo([])).type).toBe("allow");
    expect(decide(todo([rule("deny", "TodoWrite")])).type).toBe("deny");
  });

  it("a rule may name an argument of such a tool", () => {
    const agent = (input: Record<string, string>) => ({
      ...request("agent", input, [], {
        rules: [rule("deny", "Agent(explorer)"), rule("deny", "Agent(model:big-*)")],
        mode: "bypass",
      }),
      effect: "execute" as const,
    });
    expect(decide(agent({ name: "explorer" })).type).toBe("deny");
    expect(decide(agent({ name: "writer", model: "big-1" })).type).toBe("deny");
    expect(decide(agent({ name: "writer", model: "small" })).type).toBe("allow");
  });

  it("a call that names rights of its own asks", () => {
    const base = command("make", "bypass");
    expect(decide({ ...base, input: { command: "make", writableRoots: ["/"] } })).toMatchObject({
      type: "ask",
      layer: "invalid",
    });
    expect(decide({ ...base, unknownParameters: ["power"] }).type).toBe("ask");
    expect(decide({ ...base, input: { command: "make", cwd: "/w/sub", timeout_sec: 3 } }).type).toBe("allow");
  });

  it("names that every object has are ordinary names", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(decide(command(`${name} x $${name}`, "ask")).type).toBe("ask");
      expect(decide(command(`${name} x`, "ask", [rule("allow", `Bash(${name} *)`)])).type).toBe("allow");
    }
  });

  it("a path with a NUL character is refused", () => {
    expect(decide(read("/w/a\0b", "bypass")).type).toBe("deny");
  });
});

describe("MCP", () => {
  const call = (rules: Rule[], rest: Partial<DecideRequest> = {}) =>
    decide(
      request("mcp_call", { server: "github", tool: "get_issue" }, [], { rules, effect: "execute", ...rest }),
    ).type;
  it("follows rules by server and tool, in both spellings", () => {
    for (const text of [
      "mcp__github__get_issue",
      "mcp__github",
      "mcp__github__*",
      "mcp__github__get_*",
      "mcp(github.get_issue)",
      "mcp",
    ]) {
      expect(call([rule("allow", text)]), text).toBe("allow");
      expect(call([rule("deny", text)], { mode: "bypass" }), text).toBe("deny");
    }
    expect(call([rule("allow", "mcp__git")])).toBe("ask");
    expect(call([])).toBe("ask");
    expect(call([], { mode: "read-only" })).toBe("deny");
  });
});
