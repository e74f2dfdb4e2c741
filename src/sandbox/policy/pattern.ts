import { isWithin } from "../../shared/fs.ts";

/** Where patterns are anchored. */
export type PatternPlace = { roots: readonly string[]; home: string };

/** A pattern with its base: `base` is absolute, `rest` is a glob below it. */
export type AnchoredPattern = { base: string; rest: string };

/**
 * The meanings of a gitignore-style pattern: `//x` is absolute, `~/x` below the home, `/x` absolute or below a
 * root, `a/b` below a root, `x` anywhere. What lies below a match counts too.
 */
export function anchorPattern(pattern: string, place: PatternPlace): AnchoredPattern[] {
  if (pattern.startsWith("//")) return [{ base: "/", rest: pattern.slice(2) }];
  if (pattern === "~" || pattern.startsWith("~/")) return [{ base: place.home, rest: pattern.slice(2) }];
  if (pattern.startsWith("/")) {
    const rest = pattern.slice(1);
    return [{ base: "/", rest }, ...place.roots.map((base) => ({ base, rest }))];
  }
  const clean = pattern.replace(/^(\.\/)+/, "");
  if (clean === pattern && !clean.replace(/\/$/, "").includes("/")) {
    return [{ base: "/", rest: `**/${clean}` }];
  }
  return place.roots.map((base) => ({ base, rest: clean }));
}

/** True when the pattern, in any of its meanings, covers the absolute path or a directory above it. */
export function patternCovers(pattern: string, path: string, place: PatternPlace): boolean {
  const lower = path.toLowerCase();
  return anchorPattern(pattern, place).some(({ base, rest }) => {
    const from = base.toLowerCase();
    if (!isWithin(from, lower)) return false;
    return globExpression(rest).test(path.slice(from === "/" ? 1 : from.length + 1));
  });
}

const compiled = new Map<string, RegExp>();
const MAX_COMPILED = 1000;

/** A glob over a relative path as an expression, without case: `*`, `?`, `[...]`, and `**` over components. */
export function globExpression(glob: string): RegExp {
  const known = compiled.get(glob);
  if (known) return known;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  const made = new RegExp(`^${globSource(glob.replace(/\/+$/, ""))}(?:/.*)?$`, "isu");
  compiled.set(glob, made);
  return made;
}

function globSource(glob: string): string {
  let out = "";
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at);
    const set = /^\[(!|\^)?([^\]]+)\]/.exec(rest);
    if (rest.startsWith("**/")) {
      out += "(?:[^/]+/)*";
      at += 2;
    } else if (rest.startsWith("**")) {
      out += ".*";
      at += 1;
    } else if (rest[0] === "*") out += "[^/]*";
    else if (rest[0] === "?") out += "[^/]";
    else if (set) {
      out += `[${set[1] ? "^" : ""}${(set[2] ?? "").replace(/[\\\]^[]/g, "\\$&")}]`;
      at += set[0].length - 1;
    } else out += (rest[0] ?? "").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  }
  return out;
}
