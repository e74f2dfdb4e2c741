import { type Command, forEachChild, parse, type Redirection, type SyntaxNode, type Word } from "unbash";
import { resolveLexical } from "../paths/lexical.ts";
import type { ShellAssignment, ShellCommand, ShellRedirect, ShellScript, ShellWord } from "./command.ts";
import { isForkBomb } from "./fork-bomb.ts";
import { arithmeticRisk, isPlainValue, parameterRisk } from "./hidden-code.ts";
import type { Started } from "./starts.ts";
import { decodeWord } from "./words.ts";
import { startedBy } from "./wrappers.ts";

const MAX_DEPTH = 10;
const MAX_COMMANDS = 2_000;
const MAX_DIRECTORIES = 16;

type State = {
  script: ShellScript;
  functions: Set<string>;
  variables: Set<string>;
  problems: Set<string>;
  cwds: string[];
  home: string;
  /** Arithmetic on names, and values that would run commands there. */
  arithmeticNames: boolean;
  riskyValues: boolean;
};

type Scope = {
  source: string;
  piped: boolean;
  startedBy: string[];
  depth: number;
  guess: boolean;
  top: boolean;
};

/**
 * Splits shell text into every simple command that it could run: in lists, pipes, loops, functions,
 * substitutions and here-documents, and behind wrappers such as `env`, `xargs` and `bash -c`. Never throws;
 * what cannot be read is in `problems`.
 */
export function splitShell(text: string, place: { cwd: string; home: string }): ShellScript {
  const state: State = {
    script: { commands: [], problems: [], variables: [], forkBomb: false },
    functions: new Set(),
    variables: new Set(),
    problems: new Set(),
    cwds: [place.cwd],
    home: place.home,
    arithmeticNames: false,
    riskyValues: false,
  };
  try {
    visitText(text, { source: text, piped: false, startedBy: [], depth: 0, guess: false, top: true }, state);
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (!(error instanceof RangeError)) throw error;
    state.problems.add("it is nested too deeply to be parsed");
  }
  if (state.arithmeticNames && state.riskyValues) {
    state.problems.add("it calculates with values that could run commands");
  }
  return {
    ...state.script,
    problems: [...state.problems],
    variables: [...state.variables],
  };
}

function visitText(text: string, scope: Scope, state: State): void {
  if (scope.depth > MAX_DEPTH) {
    state.problems.add("its commands are nested too deeply");
    return;
  }
  if (text.includes("\0")) state.problems.add("it holds a NUL character");
  visit(parse(text), { ...scope, source: text }, state);
}

function visit(node: SyntaxNode, scope: Scope, state: State): void {
  switch (node.type) {
    case "Script":
      for (const error of node.errors ?? []) state.problems.add(`it cannot be parsed: ${error.message}`);
      for (const statement of node.commands) {
        // Only a definition that is sure to have happened makes a later name a function's.
        const top = scope.top && statement.command.type === "Function" && !statement.background;
        visit(statement, { ...scope, source: node.source ?? scope.source, piped: false, top }, state);
      }
      break;
    case "Command":
      visitCommand(node, scope, state);
      break;
    case "Pipeline":
      node.commands.forEach((part, index) => {
        visit(part, { ...scope, piped: scope.piped || index > 0 }, state);
      });
      break;
    case "Redirected":
      visitRedirected(node, scope, state);
      break;
    case "Function":
      if (isForkBomb(node)) state.script.forkBomb = true;
      visit(node.body, { ...scope, piped: true, top: false }, state);
      if (scope.top) state.functions.add(node.name.value);
      break;
    case "For":
    case "Select":
      state.variables.add(node.name.value);
      for (const word of node.wordlist ?? []) if (!isPlainValue(word)) state.riskyValues = true;
      visitChildren(node, scope, state);
      break;
    default:
      noteHiddenCode(node, scope, state);
      visitChildren(node, scope, state);
  }
}

function visitChildren(node: SyntaxNode, scope: Scope, state: State): void {
  forEachChild(node, (child) => visit(child, scope, state));
}

function noteHiddenCode(node: SyntaxNode, scope: Scope, state: State): void {
  const risk = arithmeticRisk(node, scope.source) ?? parameterRisk(node);
  if (risk === null) return;
  if (risk === "names") state.arithmeticNames = true;
  else state.problems.add(risk);
}

type RedirectedNode = Extract<SyntaxNode, { type: "Redirected" }>;

function visitRedirected(node: RedirectedNode, scope: Scope, state: State): void {
  const redirects = node.redirects.map((one) => redirectOf(one, scope, state));
  addCommand({ words: [], assignments: [], redirects, source: sourceOf(node, scope) }, scope, state);
  for (const one of node.redirects) visitChildren(one, scope, state);
  const reads = redirects.some((one) => one.kind !== "write");
  visit(node.command, { ...scope, piped: scope.piped || reads }, state);
}

function visitCommand(node: Command, scope: Scope, state: State): void {
  const inside = { ...scope, piped: false, top: false };
  visitChildren(node, inside, state);
  const words = node.name ? decode(node.name, state) : [];
  for (const argument of node.args) {
    if (argument.type === "Word") words.push(...decode(argument, state));
    else words.push(assignmentWord(argument.text, argument.name, argument.value, state));
  }
  const assignments = node.prefix.flatMap((one): ShellAssignment[] => {
    if (one.type !== "Assignment") return [];
    if (one.value.type !== "Word" || !isPlainValue(one.value)) state.riskyValues = true;
    const value = one.value.type === "Word" && !one.index ? (decode(one.value, state)[0] ?? null) : null;
    return [{ name: one.name, value, source: one.text }];
  });
  const redirects = node.redirects.map((one) => redirectOf(one, scope, state));
  if (words.length + assignments.length + redirects.length === 0) return;
  addCommand({ words, assignments, redirects, source: sourceOf(node, scope) }, scope, state);
}

type Bare = Pick<ShellCommand, "words" | "assignments" | "redirects" | "source">;

function addCommand(bare: Bare, scope: Scope, state: State): void {
  if (state.script.commands.length >= MAX_COMMANDS) {
    state.problems.add("it holds too many commands");
    return;
  }
  const command: ShellCommand = {
    ...bare,
    startedBy: scope.startedBy,
    transparent: false,
    callsFunction: scope.startedBy.length === 0 && state.functions.has(bare.words[0]?.text ?? ""),
    guess: scope.guess,
    piped: scope.piped,
    cwds: [...state.cwds],
  };
  const [name] = command.words;
  if (name && (!name.known || name.glob)) command.dynamic = "its name is only known when it runs";
  state.script.commands.push(command);
  if (name?.known) noteBuiltin(name.text, command, state);
  const started = startedBy(command);
  command.transparent = started.transparent;
  if (started.dynamic) command.dynamic = started.dynamic;
  for (const one of started.commands) visitStarted(one, command, scope, state);
}

function visitStarted(started: Started, by: ShellCommand, scope: Scope, state: State): void {
  const inner: Scope = {
    source: by.source,
    piped: started.type === "text" ? false : by.piped || by.redirects.some((one) => one.kind !== "write"),
    startedBy: [...scope.startedBy, by.words[0]?.text ?? ""],
    depth: scope.depth + 1,
    guess: scope.guess || started.guess === true,
    top: false,
  };
  if (started.type === "text") {
    visitText(started.text, inner, state);
    return;
  }
  if (inner.depth > MAX_DEPTH) {
    state.problems.add("its commands are nested too deeply");
    return;
  }
  const source = started.words.map((word) => word.source).join(" ");
  addCommand({ words: started.words, assignments: started.assignments, redirects: [], source }, inner, state);
}

/** Built-ins that change what later words mean. */
function noteBuiltin(name: string, command: ShellCommand, state: State): void {
  const texts = command.words.slice(1).map((word) => word.text);
  if (name === "alias" && texts.some((text) => text.includes("="))) {
    state.problems.add("it defines an alias, which changes what later commands mean");
  }
  if (name === "shopt" && texts.includes("expand_aliases")) state.problems.add("it switches aliases on");
  if (name === "read") {
    state.riskyValues = true;
    for (const text of texts) if (!text.startsWith("-")) state.variables.add(text);
  }
  if ((name === "test" || name === "[") && command.words.some((word) => !word.known && word.splits)) {
    state.arithmeticNames = true;
  }
  if (name === "cd" || name === "pushd") changeDirectory(command, state);
}

function changeDirectory(command: ShellCommand, state: State): void {
  const target = command.words.slice(1).find((word) => !/^-[LPe@]*$/.test(word.text) || !word.known);
  if (target && !target.known) return;
  const path = target?.text ?? state.home;
  const next = state.cwds.map((cwd) => resolveLexical(cwd, path));
  state.cwds = [...new Set([...state.cwds, ...next])].slice(0, MAX_DIRECTORIES);
}

function redirectOf(node: Redirection, scope: Scope, state: State): ShellRedirect {
  const source = sourceOf(node, scope);
  if (node.type === "HereDoc") {
    const live = node.body.parts?.some((part) => part.type !== "Literal") ?? false;
    return { kind: "text", body: live ? undefined : node.body.text, source };
  }
  const target = node.target ? oneWord(node.target, state) : undefined;
  if (node.type === "HereString") {
    return { kind: "text", body: target?.known ? target.text : undefined, source };
  }
  const kind = node.operator === "<" || node.operator === "<&" ? "read" : "write";
  const copies = node.operator.endsWith("&") && target?.known && /^(\d+-?|-)$/.test(target.text);
  return copies ? { kind, source } : { kind, target, source };
}

/** A redirection takes one word; what gives several is not known. */
function oneWord(word: Word, state: State): ShellWord {
  const words = decode(word, state);
  const [first] = words;
  if (first && words.length === 1) return first;
  return { text: "", known: false, prefix: "", splits: true, glob: false, source: word.text };
}

function assignmentWord(source: string, name: string, value: SyntaxNode, state: State): ShellWord {
  const words = value.type === "Word" ? decode(value, state) : [];
  const [first] = words;
  const prefix = `${name}=${first?.prefix ?? ""}`;
  const known = words.length === 1 && first?.known === true && source.startsWith(`${name}=`);
  return { text: `${name}=${first?.text ?? ""}`, known, prefix, splits: false, glob: false, source };
}

function decode(word: Word, state: State): ShellWord[] {
  return decodeWord(word, { HOME: state.home, PWD: state.cwds[0] ?? "/" });
}

function sourceOf(node: { pos: number; end: number }, scope: Scope): string {
  return scope.source.slice(node.pos, node.end);
}
