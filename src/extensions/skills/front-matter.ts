import { parse } from "yaml";

/** A Markdown file in two parts. `problem`: the front matter is there but cannot be read; then it is empty. */
export type FrontMatter = { fields: Record<string, unknown>; body: string; problem: string | null };

/**
 * Splits the front matter off, in YAML between two lines `---`. Without an opening or a closing line the whole text
 * is body. YAML that is none is read a second time line by line, since authors write `description: When: so`.
 */
export function frontMatter(text: string): FrontMatter {
  const clean = text.replace(/^\uFEFF/, "");
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:(?<=\n)|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(clean);
  if (!match) return { fields: {}, body: clean, problem: null };
  const front = match[1] ?? "";
  const read = readYaml(front) ?? readYaml(quoteLines(front));
  const problem = read === null ? "its front matter is not a YAML mapping" : null;
  return { fields: read ?? {}, body: clean.slice(match[0].length), problem };
}

function readYaml(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = parse(text, { logLevel: "error", maxAliasCount: 20 });
    if (value === null || value === undefined) return {};
    return typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Puts the value of every plain line `key: value` in quotes. */
function quoteLines(text: string): string {
  return text.replace(
    /^([A-Za-z_][\w-]*):[ \t]+(?!["'|>[{&*!])(.+?)[ \t]*\r?$/gm,
    (_, key, value) => `${key}: ${JSON.stringify(value)}`,
  );
}
