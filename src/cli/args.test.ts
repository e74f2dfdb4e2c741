import { describe, expect, it } from "vitest";
import { type Flags, parseInvocation, SUBCOMMANDS } from "./args.ts";

const flagsOf = (...args: string[]): Flags => {
  const found = parseInvocation(args, true);
  if (found.type !== "print" && found.type !== "interactive") throw new Error(JSON.stringify(found));
  return found.flags;
};
const problem = (...args: string[]): string => {
  const found = parseInvocation(args, true);
  return found.type === "usage_error" ? found.message : `no error: ${JSON.stringify(found)}`;
};

describe("what is asked for", () => {
  it("is interactive at a terminal, else one prompt", () => {
    expect(parseInvocation(["fix", "it"], true)).toMatchObject({ type: "interactive", prompt: "fix it" });
    expect(parseInvocation([], true)).toMatchObject({ type: "interactive", prompt: "" });
    expect(parseInvocation(["fix"], false)).toMatchObject({ type: "print", prompt: "fix" });
    expect(parseInvocation(["-p", "fix"], true)).toMatchObject({ type: "print", prompt: "fix" });
    expect(parseInvocation(["--input-format", "stream-json"], true)).toMatchObject({ type: "print" });
  });

  it("is a command, help or the version", () => {
    for (const name of SUBCOMMANDS) {
      expect(parseInvocation([name, "-x", "y"], true)).toEqual({
        type: "subcommand",
        name,
        args: ["-x", "y"],
      });
    }
    expect(parseInvocation(["help", "daemon"], true)).toEqual({ type: "help", topic: "daemon" });
    expect(parseInvocation(["help"], true)).toEqual({ type: "help", topic: null });
    expect(parseInvocation(["-p", "-h"], true)).toEqual({ type: "help", topic: null });
    expect(parseInvocation(["-v", "-p"], true)).toEqual({ type: "version" });
  });

  it("takes what follows -- as it is", () => {
    expect(parseInvocation(["-p", "--", "-r", "--model"], true)).toMatchObject({
      prompt: "-r --model",
      flags: { resume: null, model: null },
    });
  });
});

it("reads every flag", () => {
  expect(
    flagsOf(
      ..."-p --output-format stream-json --input-format text --include-partial-messages --verbose".split(" "),
      ..."-c --fork-session --name N -m a/b --permission-mode auto --max-turns 3 --max-tool-calls 4".split(
        " ",
      ),
      ..."--max-tokens 5 --max-budget-usd 0.5 --max-seconds 1.5 --add-dir x --add-dir y".split(" "),
      ..."--system-prompt S --append-system-prompt-file F --tools bash,read_file --sandbox none".split(" "),
      ..."--detach -C sub --allowed-tools".split(" "),
      "Bash(git log:*), Edit Read",
      "--disallowed-tools=WebFetch(domain:a.b)",
    ),
  ).toEqual({
    outputFormat: "stream-json",
    inputFormat: "text",
    includePartial: true,
    verbose: true,
    continueLast: true,
    resume: null,
    fork: true,
    sessionId: null,
    name: "N",
    model: "a/b",
    permissionMode: "auto",
    maxTurns: 3,
    maxToolCalls: 4,
    maxTokens: 5,
    maxBudgetUsd: 0.5,
    maxSeconds: 1.5,
    addDirs: ["x", "y"],
    systemPrompt: "S",
    systemPromptFile: null,
    appendSystemPrompt: null,
    appendSystemPromptFile: "F",
    allowedTools: ["Bash(git log:*)", "Edit", "Read"],
    disallowedTools: ["WebFetch(domain:a.b)"],
    tools: ["bash", "read_file"],
    sandbox: "none",
    detach: true,
    cwd: "sub",
  });
  expect(flagsOf("--session-id", "u").sessionId).toBe("u");
});

it("knows the spellings of other tools", () => {
  expect(flagsOf("--allowedTools", "Read", "--disallowedTools=Bash").allowedTools).toEqual(["Read"]);
  expect(flagsOf("--disallowedTools=Bash").disallowedTools).toEqual(["Bash"]);
  expect(flagsOf("--dangerously-skip-permissions").permissionMode).toBe("bypass");
});

it.each([
  [["-r"], ""],
  [["--resume"], ""],
  [["-r", "-p", "x"], ""],
  [["-r", "abc"], "abc"],
  [["--resume", "abc"], "abc"],
  [["--resume=abc"], "abc"],
  [["-rabc"], "abc"],
])("%j resumes %j", (args, resume) => expect(flagsOf(...args).resume).toBe(resume));

it("the prompt after -r ID is not taken for the id", () => {
  expect(parseInvocation(["-p", "-r", "abc", "go on"], true)).toMatchObject({
    prompt: "go on",
    flags: { resume: "abc" },
  });
});

it.each([
  [["--nope"], /--nope/],
  [["--model"], /--model/],
  [["--output-format", "xml"], /text, json, stream-json, not "xml"/],
  [["--sandbox", "off"], /--sandbox is one of on, none/],
  [["--max-turns", "many"], /--max-turns takes a number, not "many"/],
  [["--max-turns", "1.5"], /whole number/],
  [["--max-turns", "-1"], /max-turns/],
  [["--max-budget-usd", ""], /takes a number/],
  [["-c", "-r", "x"], /give one/],
  [["--fork-session"], /needs --continue or --resume/],
  [["-c", "--session-id", "u"], /--session-id is for a new session/],
  [["--system-prompt", "a", "--system-prompt-file", "b"], /give one/],
  [["--append-system-prompt", "a", "--append-system-prompt-file", "b"], /give one/],
  [["-p", "--include-partial-messages"], /stream-json/],
  [["--detach", "--input-format", "stream-json"], /one prompt/],
])("%j is refused in words", (args, words) => expect(problem(...args)).toMatch(words));
