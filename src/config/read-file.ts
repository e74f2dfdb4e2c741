import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { AppError } from "../shared/error.ts";

/** Something a person should know about a settings file that is in force all the same. */
export type ConfigNotice = { file: string; text: string };

/** A parsed settings file with the places of its values. */
export type ParsedFile = {
  file: string;
  value: Record<string, unknown>;
  /** 1-based line of the value at a path. */
  lineOf(path: (string | number)[]): number;
};

/**
 * Parses JSON with comments, trailing commas, BOM and any line ends. An empty file is empty settings with a
 * notice; anything else that is not an object is an AppError `config` that names file, line and column:
 * broken settings are never "no settings".
 */
export function parseSettings(file: string, text: string, notices: ConfigNotice[]): ParsedFile {
  const body = text.replace(/^\uFEFF/, "");
  if (body.trim() === "") {
    notices.push({ file, text: `${file} is empty; it is treated as having no settings` });
    return { file, value: {}, lineOf: () => 1 };
  }
  const errors: ParseError[] = [];
  const root = parseTree(body, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first) throw broken(file, body, first.offset, words(printParseErrorCode(first.error)));
  if (root?.type !== "object")
    throw broken(
      file,
      body,
      root?.offset ?? 0,
      `an object {...} is expected, not ${root?.type ?? "nothing"}`,
    );
  return {
    file,
    value: getNodeValue(root) as Record<string, unknown>,
    lineOf: (path) => placeOf(body, nodeAt(root, path)?.offset ?? 0).line,
  };
}

const nodeAt = (root: Node, path: (string | number)[]): Node | undefined => findNodeAtLocation(root, path);

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function broken(file: string, text: string, offset: number, why: string): AppError {
  const { line, column } = placeOf(text, offset);
  return new AppError(
    "config",
    `${file}:${line}:${column}: ${why}. Correct the file; nothing runs with settings that cannot be read`,
  );
}

/** `CloseBraceExpected` -> `close brace expected`. */
const words = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
