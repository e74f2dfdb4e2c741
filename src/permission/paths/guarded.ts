import { type GlobPlace, globExpression, pathMatches } from "./glob.ts";
import { below, isWithin } from "./lexical.ts";

/**
 * The protected name that a write to `path` would change, or null: by component, without case, at any depth
 * below a root. The `.git` entry itself counts: who replaces it chooses the configuration that git reads.
 */
export function protectedName(
  path: string,
  names: readonly string[],
  roots: readonly string[],
): string | null {
  for (const root of roots) {
    const inside = below(root, path);
    if (inside === null) continue;
    if (/(^|\/)\.git$/i.test(inside)) return ".git";
    for (const name of names) {
      const covers = name.startsWith("/")
        ? isWithin(name.replace(/(?<=.)\/+$/, ""), path)
        : globExpression(`**/${name}`, true).test(inside);
      if (covers) return name.replace(/(?<=.)\/+$/, "");
    }
  }
  return null;
}

/** The pattern that makes reading `path` a secret, or null. A later `!pattern` takes a secret back. */
export function secretPattern(
  path: string,
  guard: { denyRead: readonly string[]; allowRead: readonly string[]; place: GlobPlace },
): string | null {
  if (guard.allowRead.some((pattern) => pathMatches(pattern, path, guard.place, true))) return null;
  let found: string | null = null;
  for (const pattern of guard.denyRead) {
    if (pattern.startsWith("!")) {
      if (found !== null && pathMatches(pattern.slice(1), path, guard.place, true)) found = null;
    } else if (pathMatches(pattern, path, guard.place, true)) found = pattern;
  }
  return found;
}
