import { parse } from "yaml";

/** A Markdown file in two parts. `problem`: the front matter is there but cannot be read; then it is empty. */
export type FrontMatter = { fields: Record<string, unknown>; body: string; problem: string | null };

/**
 * Splits the front matter off, in YAML between two lines `---`. Without an opening or a closing line the whole text
 * is body. What is no YAML as a whole is read field by field, and a field that is none is taken for plain text, since
 * authors write `description: When: so` and `argument-hint: [a] [b]`.
 */
export function frontMatter(text: string): FrontMatter {
  const clean = text.replace(/^\uFEFF/, "");
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:(?<=\n)|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(clean);
  if (!match) return { fields: {}, body: clean, problem: null };
  const front = match[1] ?? "";
  const read = readYaml(front) ?? readFields(front);
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

/** Every field by itself, with the lines of its value below it; null when something is no field. */
function readFields(text: string): Record<string, unknown> | null {
  const fields: Record<string, unknown> = {};
  for (const entry of text.split(/\r?\n(?=[A-Za-z_#])/)) {
    if (/^\s*(#.*)?$/.test(entry)) continue;
    const read = readYaml(entry) ?? plainField(entry);
    if (read === null) return null;
    Object.assign(fields, read);
  }
  return fields;
}

function plainField(entry: string): Record<string, unknown> | null {
  const match = /^([A-Za-z_][\w-]*):\s+([\s\S]*)$/.exec(entry);
  return match?.[1] === undefined ? null : { [match[1]]: (match[2] ?? "").replace(/\s+/g, " ").trim() };
}
