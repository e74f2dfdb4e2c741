import type { EditOutcome, FilePort, Result } from "../../protocol/ports.ts";
import { change, checkSeen } from "./change.ts";
import { type FilesOptions, writable } from "./context.ts";
import {
  detectEncoding,
  type Encoding,
  fromUnits,
  looksBinary,
  textOf,
  toUnits,
  unitsOf,
} from "./encoding.ts";
import { fail } from "./errors.ts";
import {
  endAround,
  endsBetween,
  type Normalised,
  normaliseEnds,
  originalPosition,
  withEnds,
} from "./line-ends.ts";
import { load } from "./load.ts";
import { findMatches, linesAt, type Span } from "./match.ts";
import { similarLines } from "./similar.ts";

type Edit = Parameters<FilePort["editText"]>[1];

/** Replaces text in a file that was read before; every byte outside the replaced spans stays. */
export async function editText(
  options: FilesOptions,
  path: string,
  edit: Edit,
): Promise<Result<EditOutcome>> {
  if (edit.oldText === "") {
    return fail("invalid", "old_text is empty: to create or replace a whole file use write_file.");
  }
  const real = await writable(options, path);
  if (!real.ok) return real;
  const loaded = await load(real.value, path);
  if (!loaded.ok) return loaded;
  if (!loaded.value) return fail("not_found", `No such file: ${path}. To create it use write_file.`);
  const bytes = loaded.value.bytes;
  if (!bytes) return fail("too_large", `${path} is too large to edit (${loaded.value.size} bytes).`);
  const encoding = detectEncoding(bytes);
  if (!encoding) return fail("unsupported_encoding", `UTF-32 text cannot be edited: ${path}`);
  if (looksBinary(bytes.subarray(0, 8192), encoding)) return fail("binary", `Not a text file: ${path}`);
  const fresh = checkSeen(options, real.value, path, bytes);
  if (!fresh.ok) return fresh;

  const units = toUnits(bytes, encoding);
  const file = normaliseEnds(units);
  const found = locate(file.text, path, edit, encoding);
  if (!found.ok) return found;
  const { spans, replace } = found.value;
  const edited = splice(units, file, replace, normal(edit.newText, encoding));
  const after = fromUnits(edited, encoding, bytes);
  const changed = await change(options, { path, realPath: real.value, before: loaded.value, after });
  if (!changed.ok) return changed;
  const [line = 1, ...otherLines] = linesAt(
    file.text,
    spans.map((span) => span.start),
  );
  return {
    ok: true,
    value: { ...changed.value, replaced: replace.length, matches: spans.length, line, otherLines },
  };
}

function locate(
  text: string,
  path: string,
  edit: Edit,
  encoding: Encoding,
): Result<{ spans: Span[]; replace: Span[] }> {
  const found = findMatches(text, normal(edit.oldText, encoding));
  if (found.type === "none") return fail("no_match", missing(text, path, edit.oldText, encoding));
  if (found.type === "overlapping") {
    const lines = linesAt(text, found.starts).join(" and ");
    return fail(
      "ambiguous",
      `old_text matches more than once in ${path} and the matches overlap (lines ${lines}). Add lines around it until it is unique.`,
    );
  }
  const { spans } = found;
  if (edit.expectedMatches !== undefined && edit.expectedMatches !== spans.length) {
    const lines = linesAt(
      text,
      spans.slice(0, 20).map((span) => span.start),
    );
    return fail(
      "ambiguous",
      `expected_matches is ${edit.expectedMatches}, but old_text occurs ${spans.length} times in ${path} (line ${lines.join(", ")}). Nothing was changed.`,
    );
  }
  // A count that was stated and is right means all of them.
  const all = edit.replaceAll || (edit.expectedMatches ?? 1) > 1;
  return { ok: true, value: { spans, replace: all ? spans : spans.slice(0, 1) } };
}

function missing(text: string, path: string, wanted: string, encoding: Encoding): string {
  const near = similarLines(textOf(text, encoding), wanted);
  const hint =
    near.length > 0
      ? ` Similar lines: ${near.map((one) => `${one.line}: ${JSON.stringify(one.text)}`).join("; ")}.`
      : "";
  return `old_text was not found in ${path}; nothing was changed.${hint} Copy the text exactly as read_file shows it, without the line numbers.`;
}

const normal = (text: string, encoding: Encoding): string => unitsOf(text.replaceAll("\r\n", "\n"), encoding);

function splice(units: string, file: Normalised, spans: Span[], replacement: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    const old = file.text.slice(start, end);
    const ends = endsBetween(file, start, end);
    parts.push(units.slice(from, originalPosition(file, start)));
    parts.push(withEnds(replacement, old, ends, endAround(file, start, end)));
    from = originalPosition(file, end);
  }
  parts.push(units.slice(from));
  return parts.join("");
}
