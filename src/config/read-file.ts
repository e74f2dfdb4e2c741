import { readFileSync } from "node:fs";
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { AppError, errorCode, errorMessage } from "../shared/error.ts";

/** Something a person should know about a settings file that is in force all the same. */
export type ConfigNotice = { file: string; text: string };

/** A parsed settings file with the places of its values. */
export type ParsedFile = {
  file: string;
  value: Record<string, unknown>;
  /** 1-based line of the value at a path. */
  lineOf(path: (string | number)[]): number;
  /** An error about the value at a path, with file, line and column. */
  errorAt(path: (string | number)[], why: string): AppError;
};

/** A file that is not there is no settings; one that cannot be read is an error, or its rules would be lost. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new AppError("config", `${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Parses JSON with comments, trailing commas, BOM and any line ends. An empty file is empty settings with a
 * notice; anything else that is not an object is an AppError `config` that names file, line and column:
 * broken settings are never "no settings".
 */
export function parseSettings(file: string, text: string, notices: ConfigNotice[]): ParsedFile {
  const body = text.replace(/^\uFEFF/, "");
  if (body.trim() === "") {
    notices.push({ file, text: `${file} is empty; it is treated as having no settings` });
    return { file, value: {}, lineOf: () => 1, errorAt: (_, why) => broken(file, body, 0, why) };
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
  refuseDoubles(root, file, body);
  const offsetOf = (path: (string | number)[]): number => findNodeAtLocation(root, path)?.offset ?? 0;
  return {
    file,
    value: getNodeValue(root) as Record<string, unknown>,
    lineOf: (path) => placeOf(body, offsetOf(path)).line,
    errorAt: (path, why) => broken(file, body, offsetOf(path), why),
  };
}

/** Of two equal keys JSON keeps the last: the rules of the first would be lost without a word. */
function refuseDoubles(node: Node, file: string, body: string): void {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const key = node.type === "object" ? child.children?.[0] : undefined;
    if (key && seen.has(key.value)) throw broken(file, body, key.offset, `"${key.value}" is given twice`);
    if (key?.value === "__proto__") throw broken(file, body, key.offset, '"__proto__" is no key');
    if (key) seen.add(key.value);
    refuseDoubles(child, file, body);
  }
}

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
