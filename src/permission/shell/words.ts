import type { DoubleQuotedChild, Word, WordPart } from "unbash";
import { lookUp } from "../look-up.ts";
import { expandBraces } from "./braces.ts";
import type { ShellWord } from "./command.ts";

/** Values of variables that the decoder may put in: `HOME` and `PWD`. */
export type KnownVariables = Readonly<Record<string, string>>;

type Piece = { text: string | null; splits: boolean; glob: boolean };

/**
 * Decodes one word of the parser to the words the program gets: quotes taken away, `~`, `$HOME` and `$PWD`
 * put in, braces expanded. What cannot be known is marked, never guessed.
 */
export function decodeWord(word: Word, variables: KnownVariables): ShellWord[] {
  if (!word.parts) return [literalWord(word, variables)];
  const braces = word.parts.find((part) => part.type === "BraceExpansion");
  if (braces) return decodeBraces(word, variables);
  return [
    joinPieces(
      word,
      word.parts.flatMap((part) => piecesOf(part, variables)),
      variables,
    ),
  ];
}

function literalWord(word: Word, variables: KnownVariables): ShellWord {
  const text = expandTilde(word.value, word.text, variables);
  if (text === null) return unknown(word.text, "");
  return { text, known: true, prefix: text, splits: false, glob: false, source: word.text };
}

/** `~` and `~/...` unquoted; `~name` of another user is not known (null). */
function expandTilde(value: string, source: string, variables: KnownVariables): string | null {
  if (!source.startsWith("~")) return value;
  if (value === "~" || value.startsWith("~/")) return (variables.HOME ?? "~") + value.slice(1);
  if (value === "~+" || value.startsWith("~+/")) return (variables.PWD ?? "~+") + value.slice(2);
  return null;
}

function decodeBraces(word: Word, variables: KnownVariables): ShellWord[] {
  const expanded = /["'\\$`*?[\]]/.test(word.text) ? null : expandBraces(word.text);
  if (expanded === null) return [unknown(word.text, "")];
  return expanded.map((text) => literalWord({ ...word, text, value: text }, variables));
}

function unknown(source: string, prefix: string): ShellWord {
  return { text: prefix, known: false, prefix, splits: true, glob: false, source };
}

function joinPieces(word: Word, pieces: Piece[], variables: KnownVariables): ShellWord {
  const firstUnknown = pieces.findIndex((piece) => piece.text === null);
  const before = firstUnknown < 0 ? pieces : pieces.slice(0, firstUnknown);
  const glob = pieces.some((piece) => piece.glob);
  const firstGlob = before.findIndex((piece) => piece.glob);
  const text = pieces.map((piece) => piece.text ?? "").join("");
  const prefixPieces = firstGlob < 0 ? before : before.slice(0, firstGlob);
  const prefix = prefixPieces.map((piece) => piece.text ?? "").join("");
  const tilde = word.text.startsWith("~") && word.parts?.[0]?.type === "Literal";
  const full = tilde ? expandTilde(text, word.text, variables) : text;
  const start = tilde ? expandTilde(prefix, word.text, variables) : prefix;
  return {
    text: full ?? text,
    known: firstUnknown < 0 && full !== null,
    prefix: start ?? "",
    splits: pieces.some((piece) => piece.splits) || full === null,
    glob,
    source: word.text,
  };
}

const known = (text: string, glob = false): Piece => ({ text, splits: false, glob });
const hidden = (splits: boolean): Piece => ({ text: null, splits, glob: false });

function piecesOf(part: WordPart, variables: KnownVariables): Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [known(part.value)];
    case "Glob":
      return [known(part.value, true)];
    case "ExtendedGlob":
      return [known(part.text, true)];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((child) => quotedPiece(child, variables));
    case "SimpleExpansion":
    case "ParameterExpansion":
      return [variablePiece(part, variables, false)];
    case "ProcessSubstitution":
      return [hidden(false)];
    default:
      return [hidden(true)];
  }
}

function quotedPiece(child: DoubleQuotedChild, variables: KnownVariables): Piece {
  if (child.type === "Literal") return known(child.value);
  if (child.type === "SimpleExpansion" || child.type === "ParameterExpansion") {
    return variablePiece(child, variables, true);
  }
  return hidden(false);
}

type Expansion = Extract<DoubleQuotedChild, { type: "SimpleExpansion" | "ParameterExpansion" }>;

function variablePiece(part: Expansion, variables: KnownVariables, quoted: boolean): Piece {
  const name = part.type === "SimpleExpansion" ? part.text.slice(1) : plainParameter(part);
  const value = name === null ? undefined : lookUp(variables, name);
  if (value !== undefined) return known(value);
  const all = part.text === "$@" || part.text.startsWith("${@") || part.text.includes("[@]");
  return hidden(!quoted || all);
}

function plainParameter(part: Extract<Expansion, { type: "ParameterExpansion" }>): string | null {
  return part.operation || part.prefix || part.index ? null : part.parameter;
}
