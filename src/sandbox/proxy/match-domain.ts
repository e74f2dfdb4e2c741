/**
 * True when an entry of a list covers a canonical host. By label: `a.b` is that name alone, `*.a.b` all below it
 * but not itself, `*` everything. Addresses match only when they are listed as they are.
 */
export function domainMatches(host: string, entry: string): boolean {
  const wanted = entry
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[|\]$/g, "");
  if (wanted === "*") return true;
  if (!wanted.startsWith("*.")) return host === wanted;
  const suffix = wanted.slice(1);
  return host.length > suffix.length && host.endsWith(suffix);
}
