/** Globs under `paths:` in a rule file's front matter; null when the rule holds everywhere. */
export function ruleScope(text: string): string[] | null {
  const front = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  if (front === undefined) return null;
  const lines = front.split(/\r?\n/);
  const at = lines.findIndex((line) => /^paths\s*:/.test(line));
  if (at < 0) return null;
  const inline = (lines[at] ?? "").replace(/^paths\s*:/, "").trim();
  const globs =
    inline === "" ? listBelow(lines, at + 1) : splitOutsideBraces(inline.replace(/^\[(.*)\]$/, "$1"));
  const clean = globs.map(unquoted).filter((glob) => glob !== "");
  return clean.length > 0 ? clean : null;
}

/** The text behind the front matter. */
export function ruleBody(text: string): string {
  return text.replace(/^---\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, "");
}

// Not by a YAML parser: globs such as `**/*.ts` are written bare, and YAML takes the star for an alias.
function listBelow(lines: readonly string[], start: number): string[] {
  const items: string[] = [];
  for (const line of lines.slice(start)) {
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
    if (item === undefined) break;
    items.push(item);
  }
  return items;
}

/** `a, b/{c,d}` is two globs. */
function splitOutsideBraces(text: string): string[] {
  return text.split(/,(?![^{]*\})/);
}

const unquoted = (glob: string): string => glob.trim().replace(/^(["'])(.*)\1$/, "$2");
