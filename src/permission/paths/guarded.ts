import { type GlobPlace, pathMatches } from "./glob.ts";
import { below } from "./lexical.ts";

/**
 * The protected name that a write to `path` would change, or null: the name itself, what lies below it, or the
 * directories of the name above it, which would go with it. Compared by component, without case.
 */
export function protectedName(
  path: string,
  names: readonly string[],
  roots: readonly string[],
): string | null {
  const lower = path.toLowerCase();
  for (const name of names) {
    const wanted = name.toLowerCase().replace(/\/+$/, "");
    if (wanted.startsWith("/")) {
      if (lower === wanted || lower.startsWith(`${wanted}/`)) return name;
      continue;
    }
    for (const root of roots) {
      const inside = below(root.toLowerCase(), lower);
      if (inside === null) continue;
      if (`/${inside}/`.includes(`/${wanted}/`) || isAbove(inside, wanted)) return name;
    }
  }
  return null;
}

/** True when the path ends in the first parts of the name: `sub/.git` holds `.git/hooks`. */
function isAbove(inside: string, wanted: string): boolean {
  const parts = wanted.split("/");
  return parts.some(
    (_, length) => length > 0 && `/${inside}`.endsWith(`/${parts.slice(0, length).join("/")}`),
  );
}

/** The pattern that makes reading `path` a secret, or null. A later `!pattern` takes a secret back. */
export function secretPattern(
  path: string,
  guard: { denyRead: readonly string[]; allowRead: readonly string[]; place: GlobPlace },
): string | null {
  if (guard.allowRead.some((pattern) => pathMatches(pattern, path, guard.place))) return null;
  let found: string | null = null;
  for (const pattern of guard.denyRead) {
    if (pattern.startsWith("!")) {
      if (found !== null && pathMatches(pattern.slice(1), path, guard.place, true)) found = null;
    } else if (pathMatches(pattern, path, guard.place, true)) found = pattern;
  }
  return found;
}
