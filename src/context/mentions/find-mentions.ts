/** One reading of a mention: the path as written, and lines where some were asked for. */
export type MentionReading = { path: string; firstLine?: number; lastLine?: number };

/** What may be a mention: its readings, the likeliest first; the first that exists is meant. */
export type Mention = { written: string; readings: MentionReading[] };

// Not behind a letter, digit or the like: that is an e-mail address, a scope or a path.
const MENTION = /(?<![\w.+@/\\-])@(?:"([^"\n]+)"(?::(\d+)(?:-(\d+))?)?|([^\s"'`<>|@]+))/g;
const FENCED = /^ {0,3}(```+|~~~+)[\s\S]*?^ {0,3}\1[^\n]*$/gm;
const SPAN = /`[^`\n]+`/g;
const MAX_MENTIONS = 20;

/** `@file`, `@dir/`, `@"with space"`, `@file:10-20`, `@file#L10-L20`, outside of code; at most 20, each once. */
export function findMentions(text: string): Mention[] {
  const found = new Map<string, Mention>();
  const prose = text.replace(FENCED, "").replace(SPAN, "");
  for (const [written, quoted, first, last, bare] of prose.matchAll(MENTION)) {
    const readings = quoted === undefined ? readingsOf(bare ?? "") : [withLines(quoted, first, last)];
    if (readings.length > 0) found.set(written, { written, readings });
    if (found.size >= MAX_MENTIONS) break;
  }
  return [...found.values()];
}

/** As written, without the sentence's punctuation, and without what follows in a script that needs no space. */
function readingsOf(bare: string): MentionReading[] {
  const trimmed = bare.replace(/[.,;:!?)\]}*_\u3001\u3002\uff0c\uff1a\uff1b\uff1f\uff01\uff09]+$/u, "");
  const ascii = /^[!-~]*/.exec(trimmed)?.[0] ?? "";
  const readings = [...new Set([bare, trimmed, ascii])].flatMap((path) => {
    const lines = /^(.+?)(?::|#L)(\d+)(?:-L?(\d+))?$/.exec(path);
    return lines ? [{ path }, withLines(lines[1] ?? "", lines[2], lines[3])] : [{ path }];
  });
  return readings.filter(({ path }) => /[\p{L}\p{N}.~]/u.test(path));
}

function withLines(path: string, first: string | undefined, last: string | undefined): MentionReading {
  if (first === undefined) return { path };
  const from = Math.max(1, Number(first));
  return { path, firstLine: from, lastLine: Math.max(from, Number(last ?? first)) };
}
