import type { FilePort } from "../../protocol/ports.ts";
import type { FilesOptions } from "./context.ts";
import { editText } from "./edit.ts";
import { fileKind, readBytes } from "./kind.ts";
import { move } from "./move.ts";
import { readText } from "./read-text.ts";
import { remove } from "./remove.ts";
import { appendText, writeText } from "./write.ts";

/** The file layer for one tool call, under the session's policy and what was approved for the call. */
export function createFiles(options: FilesOptions): FilePort {
  return {
    kind: (path) => fileKind(options, path),
    readText: (path, query) => readText(options, path, query),
    readBytes: (path, maxBytes) => readBytes(options, path, maxBytes),
    writeText: (path, content) => writeText(options, path, content),
    appendText: (path, content) => appendText(options, path, content),
    editText: (path, edit) => editText(options, path, edit),
    move: (from, to) => move(options, from, to),
    remove: (path) => remove(options, path),
  };
}
