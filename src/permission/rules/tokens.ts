/** The words of a command rule: split at white space, `"..."` and `'...'` keep it. */
export function tokenize(match: string): string[] {
  const found = match.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return found.map((token) =>
    token.replace(/"([^"]*)"|'([^']*)'/g, (_, a?: string, b?: string) => a ?? b ?? ""),
  );
}

/** One token against one word: `*` stands for any letters; `name:*` for `name` and `name:anything`. */
export function tokenMatches(token: string, word: string): boolean {
  if (token.endsWith(":*")) {
    const base = token.slice(0, -2);
    return wildcard(base, word) || wildcard(`${base}:*`, word);
  }
  return wildcard(token, word);
}

function wildcard(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  let at = first.length;
  const limit = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > limit) return false;
    at = found + part.length;
  }
  return true;
}
