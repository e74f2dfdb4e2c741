import { PERMISSION_MODES, type PermissionMode } from "../../protocol/permission.ts";
import { inputTokens, tokens, usageWords } from "../blocks/numbers.ts";
import type { View } from "../view-state/view.ts";
import type { Completion } from "./ui.ts";

/** What a slash command asks for. */
export type Command =
  | { type: "show"; title: string; text: string }
  | { type: "clear" }
  | { type: "compact"; focus: string }
  | { type: "context" }
  | { type: "model"; model: string }
  | { type: "mode"; mode: PermissionMode }
  | { type: "rename"; title: string }
  | { type: "sessions"; search: string }
  | { type: "models" }
  | { type: "leave" };

type Entry = { name: string; argument: string; does: string };

const COMMANDS: readonly Entry[] = [
  { name: "help", argument: "", does: "keys and commands" },
  { name: "clear", argument: "", does: "the model forgets the conversation; nothing is deleted" },
  { name: "compact", argument: "[focus]", does: "a summary takes the place of older messages" },
  { name: "context", argument: "", does: "what fills the model's window" },
  {
    name: "model",
    argument: "PROVIDER/MODEL",
    does: "another model from the next step on; without a name: which there are",
  },
  { name: "mode", argument: PERMISSION_MODES.join("|"), does: "what may be done without asking" },
  { name: "cost", argument: "", does: "tokens and cost of this session" },
  { name: "status", argument: "", does: "session, folder, model, mode, sandbox" },
  { name: "sessions", argument: "[search]", does: "go on with another session" },
  { name: "rename", argument: "TITLE", does: "title of this session" },
  { name: "exit", argument: "", does: "leave; the session stays (also: exit, quit, q)" },
];

const SAME: Record<string, string> = {
  usage: "cost",
  resume: "sessions",
  permissions: "mode",
  quit: "exit",
  q: "exit",
  "?": "help",
  models: "model",
};
const EXIT_WORDS = ["exit", "quit", "q"];

/** A word that leaves when it is all that was written. */
export function isExitWord(text: string): boolean {
  return EXIT_WORDS.includes(text.trim().toLowerCase());
}

/** What the line asks for; null when it is no command. Unknown commands become a hint. */
export function parseCommand(text: string, view: View): Command | null {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === "clear") return { type: "clear" };
  if (!/^\/[a-z?]+(\s|$)/i.test(trimmed) || trimmed.includes("\n")) return null;
  const [word = "", ...rest] = trimmed.slice(1).split(/\s+/);
  const argument = rest.join(" ");
  const name = SAME[word.toLowerCase()] ?? word.toLowerCase();
  switch (name) {
    case "help":
      return { type: "show", title: "help", text: helpText() };
    case "clear":
      return { type: "clear" };
    case "compact":
      return { type: "compact", focus: argument };
    case "context":
      return { type: "context" };
    case "model":
      return argument === "" ? { type: "models" } : { type: "model", model: argument };
    case "mode":
      return modeCommand(argument, view);
    case "cost":
      return { type: "show", title: "cost of this session", text: costText(view) };
    case "status":
      return { type: "show", title: "status", text: statusText(view) };
    case "sessions":
      return { type: "sessions", search: argument };
    case "rename":
      return argument === ""
        ? { type: "show", title: "/rename", text: "write the new title after it: /rename TITLE" }
        : { type: "rename", title: argument };
    case "exit":
      return { type: "leave" };
    default:
      // A skill by its name is a prompt: the daemon puts its instructions to it.
      if (view.skills.includes(word)) return null;
      return { type: "show", title: `there is no command /${word}`, text: nearest(name) };
  }
}

function modeCommand(argument: string, view: View): Command {
  const mode = PERMISSION_MODES.find((name) => name === argument);
  if (mode) return { type: "mode", mode };
  const known = `modes: ${PERMISSION_MODES.join(", ")}`;
  const now = `mode ${view.session?.mode ?? "unknown"}`;
  return { type: "show", title: argument === "" ? now : `there is no mode "${argument}"`, text: known };
}

function nearest(name: string): string {
  const near = COMMANDS.find((entry) => entry.name.startsWith(name.slice(0, 2)));
  return near ? `did you mean /${near.name}? /help lists all` : "/help lists all";
}

/** Choices for what is written after the slash, or after the command's name. */
export function commandCompletions(
  text: string,
  skills: readonly string[] = [],
): { items: Completion[]; from: number } | null {
  const argument = /^\/(mode|permissions) (\S*)$/.exec(text);
  if (argument) {
    const written = argument[2] ?? "";
    const items = PERMISSION_MODES.filter((mode) => mode.startsWith(written)).map((mode) => ({
      insert: mode,
      label: mode,
      note: "",
    }));
    return { items, from: text.length - written.length };
  }
  if (!/^\/[a-z0-9-]*$/i.test(text)) return null;
  const written = text.slice(1).toLowerCase();
  const items = COMMANDS.filter((entry) => entry.name.startsWith(written)).map((entry) => ({
    insert: `/${entry.name}${entry.argument === "" ? "" : " "}`,
    label: `/${entry.name}${entry.argument === "" ? "" : ` ${entry.argument}`}`,
    note: entry.does,
  }));
  const called = skills
    .filter((name) => name.startsWith(written))
    .map((name) => ({ insert: `/${name} `, label: `/${name}`, note: "skill" }));
  return { items: [...items, ...called], from: 0 };
}

function helpText(): string {
  const rows = COMMANDS.map(
    ({ name, argument, does }) => `  /${`${name} ${argument}`.trim().padEnd(26)} ${does}`,
  );
  const keys: readonly (readonly [string, string])[] = [
    ["Enter", "sends; while a turn runs: is told to the model between its steps"],
    ["Alt-Enter", "a new line; while a turn runs: sends after the turn"],
    ["Ctrl-J, Shift-Enter, \\ Enter", "a new line"],
    ["Esc", "interrupts the turn"],
    ["Ctrl-C", "clears the line, interrupts, leaves"],
    ["Ctrl-D", "leaves"],
    ["Shift-Tab", "the next mode"],
    ["Tab", "completes commands and @files"],
    ["Up, Down, Ctrl-R", "earlier prompts; Up takes a waiting one back"],
    ["Ctrl-O", "shows the last output, or what is asked about, in full"],
    ["Ctrl-G", "writes the prompt in your editor"],
    ["Ctrl-_", "undo; Ctrl-A E K U W Y as in the shell"],
    ["Ctrl-Z", "suspends"],
  ];
  return [...rows, "", ...keys.map(([name, does]) => `  ${name.padEnd(30)} ${does}`)].join("\n");
}

function costText({ session }: View): string {
  if (!session) return "the session is not open yet";
  const { usage } = session;
  return [
    usageWords(usage),
    `input ${tokens(inputTokens(usage))} (of which from cache ${tokens(usage.cacheRead)}, written to cache ${tokens(usage.cacheWrite)}), output ${tokens(usage.output)}`,
  ].join("\n");
}

function statusText({ session, sandbox, connection, queue, approvals }: View): string {
  if (!session) return `the session is not open yet (${connection})`;
  return [
    `session  ${session.id}  ${session.title}`,
    `folder   ${session.roots.join(", ")}`,
    `model    ${session.model}`,
    `mode     ${session.mode}`,
    `sandbox  ${sandbox?.type === "ready" ? sandbox.kind : (sandbox?.type ?? "unknown")}`,
    `waiting  ${queue.length} prompts, ${approvals.length} questions`,
  ].join("\n");
}
