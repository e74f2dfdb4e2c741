import { parseArgs } from "node:util";

/** What the command line asks for. */
export type Invocation =
  | { type: "help"; topic: string | null }
  | { type: "version" }
  | { type: "usage_error"; message: string }
  | { type: "interactive"; flags: Flags; prompt: string }
  | { type: "print"; flags: Flags; prompt: string }
  | { type: "subcommand"; name: string; args: string[] };

/** The flags of a run, as given. */
export type Flags = {
  outputFormat: "text" | "json" | "stream-json";
  inputFormat: "text" | "stream-json";
  includePartial: boolean;
  verbose: boolean;
  continueLast: boolean;
  /** `""`: resume asked for without an id. */
  resume: string | null;
  fork: boolean;
  sessionId: string | null;
  name: string | null;
  model: string | null;
  permissionMode: string | null;
  maxTurns: number | null;
  maxToolCalls: number | null;
  maxTokens: number | null;
  maxBudgetUsd: number | null;
  maxSeconds: number | null;
  addDirs: string[];
  systemPrompt: string | null;
  systemPromptFile: string | null;
  appendSystemPrompt: string | null;
  appendSystemPromptFile: string | null;
  allowedTools: string[];
  disallowedTools: string[];
  tools: string[] | null;
  sandbox: "on" | "none";
  detach: boolean;
  cwd: string | null;
};

export const SUBCOMMANDS = [
  "config",
  "daemon",
  "demo",
  "doctor",
  "models",
  "permissions",
  "sandbox",
  "sessions",
  "tasks",
  "trust",
] as const;

/** Every flag of a run. */
export const OPTIONS = {
  print: { type: "boolean", short: "p" },
  "output-format": { type: "string" },
  "input-format": { type: "string" },
  "include-partial-messages": { type: "boolean" },
  verbose: { type: "boolean" },
  continue: { type: "boolean", short: "c" },
  resume: { type: "string", short: "r" },
  "fork-session": { type: "boolean" },
  "session-id": { type: "string" },
  name: { type: "string" },
  model: { type: "string", short: "m" },
  "permission-mode": { type: "string" },
  "dangerously-skip-permissions": { type: "boolean" },
  "max-turns": { type: "string" },
  "max-tool-calls": { type: "string" },
  "max-tokens": { type: "string" },
  "max-budget-usd": { type: "string" },
  "max-seconds": { type: "string" },
  "add-dir": { type: "string", multiple: true },
  "system-prompt": { type: "string" },
  "system-prompt-file": { type: "string" },
  "append-system-prompt": { type: "string" },
  "append-system-prompt-file": { type: "string" },
  "allowed-tools": { type: "string", multiple: true },
  "disallowed-tools": { type: "string", multiple: true },
  tools: { type: "string" },
  sandbox: { type: "string" },
  detach: { type: "boolean" },
  cwd: { type: "string", short: "C" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** Spellings of other tools of this kind. */
const ALIASES: Record<string, string> = {
  "--allowedTools": "--allowed-tools",
  "--disallowedTools": "--disallowed-tools",
};

/** Reads the command line. Never throws: what is wrong comes back as `usage_error` with the way to mend it. */
export function parseInvocation(args: readonly string[], stdinIsTerminal: boolean): Invocation {
  const first = args[0];
  if (first === "help") return { type: "help", topic: args[1] ?? null };
  if (first !== undefined && (SUBCOMMANDS as readonly string[]).includes(first)) {
    return { type: "subcommand", name: first, args: args.slice(1) };
  }
  try {
    const end = args.indexOf("--");
    const flagged = end < 0 ? args : args.slice(0, end);
    const { values, positionals } = parseArgs({
      args: [...flagged.flatMap(spelling), ...(end < 0 ? [] : args.slice(end))],
      options: OPTIONS,
      allowPositionals: true,
      strict: true,
    });
    if (values.help) return { type: "help", topic: null };
    if (values.version) return { type: "version" };
    const flags = toFlags(values);
    checkTogether(flags);
    const prompt = positionals.join(" ");
    const print = values.print === true || values["input-format"] === "stream-json" || !stdinIsTerminal;
    return { type: print ? "print" : "interactive", flags, prompt };
  } catch (error) {
    return {
      type: "usage_error",
      message: error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error),
    };
  }
}

/** Aliases, and `-r` that may stand without a value. */
function spelling(arg: string, index: number, args: readonly string[]): string[] {
  const [name = "", value] = splitOnce(arg);
  const known = ALIASES[name];
  if (known) return [value === undefined ? known : `${known}=${value}`];
  if (arg !== "-r" && arg !== "--resume")
    return index > 0 && takesResume(args[index - 1]) && !arg.startsWith("-") ? [] : [arg];
  const next = args[index + 1];
  return [next === undefined || next.startsWith("-") ? "--resume=" : `--resume=${next}`];
}

const takesResume = (arg: string | undefined): boolean => arg === "-r" || arg === "--resume";

function splitOnce(arg: string): [string, string | undefined] {
  const at = arg.indexOf("=");
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

function toFlags(values: Values): Flags {
  return {
    outputFormat: oneOf(
      values["output-format"] ?? "text",
      ["text", "json", "stream-json"],
      "--output-format",
    ),
    inputFormat: oneOf(values["input-format"] ?? "text", ["text", "stream-json"], "--input-format"),
    includePartial: values["include-partial-messages"] === true,
    verbose: values.verbose === true,
    continueLast: values.continue === true,
    resume: values.resume ?? null,
    fork: values["fork-session"] === true,
    sessionId: values["session-id"] ?? null,
    name: values.name ?? null,
    model: values.model ?? null,
    permissionMode: values["dangerously-skip-permissions"] ? "bypass" : (values["permission-mode"] ?? null),
    maxTurns: whole(values["max-turns"], "--max-turns"),
    maxToolCalls: whole(values["max-tool-calls"], "--max-tool-calls"),
    maxTokens: whole(values["max-tokens"], "--max-tokens"),
    maxBudgetUsd: amount(values["max-budget-usd"], "--max-budget-usd"),
    maxSeconds: amount(values["max-seconds"], "--max-seconds"),
    addDirs: values["add-dir"] ?? [],
    systemPrompt: values["system-prompt"] ?? null,
    systemPromptFile: values["system-prompt-file"] ?? null,
    appendSystemPrompt: values["append-system-prompt"] ?? null,
    appendSystemPromptFile: values["append-system-prompt-file"] ?? null,
    allowedTools: (values["allowed-tools"] ?? []).flatMap(splitRules),
    disallowedTools: (values["disallowed-tools"] ?? []).flatMap(splitRules),
    tools:
      values.tools === undefined
        ? null
        : values.tools
            .split(",")
            .map((name) => name.trim())
            .filter(Boolean),
    sandbox: oneOf(values.sandbox ?? "on", ["on", "none"], "--sandbox"),
    detach: values.detach === true,
    cwd: values.cwd ?? null,
  };
}

/** Flags that contradict each other, or would say nothing, are an error: none is silently ignored. */
function checkTogether(flags: Flags): void {
  const resumed = flags.continueLast || flags.resume !== null;
  const rules: [boolean, string][] = [
    [
      flags.continueLast && flags.resume !== null,
      "--continue and --resume are two ways to name a session; give one",
    ],
    [flags.fork && !resumed, "--fork-session needs --continue or --resume: it copies that session"],
    [
      flags.sessionId !== null && resumed,
      "--session-id is for a new session, not with --continue or --resume",
    ],
    [
      flags.systemPrompt !== null && flags.systemPromptFile !== null,
      "--system-prompt and --system-prompt-file say the same; give one",
    ],
    [
      flags.appendSystemPrompt !== null && flags.appendSystemPromptFile !== null,
      "--append-system-prompt and --append-system-prompt-file say the same; give one",
    ],
    [
      flags.includePartial && flags.outputFormat !== "stream-json",
      "--include-partial-messages needs --output-format stream-json",
    ],
    [
      flags.detach && flags.inputFormat === "stream-json",
      "--detach leaves after one prompt; --input-format stream-json has many",
    ],
  ];
  const broken = rules.find(([applies]) => applies);
  if (broken) throw new Error(broken[1]);
}

function oneOf<T extends string>(value: string, allowed: readonly T[], flag: string): T {
  const found = allowed.find((item) => item === value);
  if (found === undefined) throw new Error(`${flag} is one of ${allowed.join(", ")}, not "${value}"`);
  return found;
}

function amount(value: string | undefined, flag: string): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number) || number < 0)
    throw new Error(`${flag} takes a number, not "${value}"`);
  return number;
}

function whole(value: string | undefined, flag: string): number | null {
  const number = amount(value, flag);
  if (number !== null && !Number.isInteger(number))
    throw new Error(`${flag} takes a whole number, not "${value}"`);
  return number;
}

/** Splits `Bash(git log:*), Edit Read` at commas and blanks outside parentheses. */
function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth === 0 && (character === "," || character === " ")) {
      if (current) rules.push(current);
      current = "";
    } else current += character;
  }
  if (current) rules.push(current);
  return rules;
}
