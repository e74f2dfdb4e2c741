import { isWithin, resolveLexical } from "./lexical.ts";

/** Where patterns are anchored. */
export type GlobPlace = { cwd: string; roots: readonly string[]; home: string };

/**
 * True when a gitignore-style pattern covers the absolute path, or a directory above it. `//x` is absolute,
 * `~/x` below the home, `/x` below a root (or absolute), `a/b` below the working directory or a root, `x`
 * anywhere.
 */
export function pathMatches(pattern: string, path: string, place: GlobPlace, ignoreCase = false): boolean {
  return basesOf(pattern, place).some(({ base, rest }) => {
    if (!isWithin(fold(base, ignoreCase), fold(path, ignoreCase))) return false;
    const inside = path.slice(base === "/" ? 1 : base.length + 1);
    return globExpression(rest, ignoreCase).test(inside);
  });
}

const fold = (text: string, ignoreCase: boolean): string => (ignoreCase ? text.toLowerCase() : text);

function basesOf(pattern: string, place: GlobPlace): { base: string; rest: string }[] {
  if (pattern.startsWith("//")) return [{ base: "/", rest: pattern.slice(2) }];
  if (pattern === "~" || pattern.startsWith("~/")) return [{ base: place.home, rest: pattern.slice(2) }];
  const bases = [...new Set([place.cwd, ...place.roots])];
  if (pattern.startsWith("/")) {
    const rest = pattern.slice(1);
    return [{ base: "/", rest }, ...place.roots.map((base) => ({ base, rest }))];
  }
  if (pattern.startsWith("../")) {
    return bases.map((base) => ({ base: "/", rest: resolveLexical(base, pattern).slice(1) }));
  }
  const clean = pattern.replace(/^(\.\/)+/, "");
  const anchored = clean !== pattern || clean.replace(/\/$/, "").includes("/");
  if (anchored) return bases.map((base) => ({ base, rest: clean }));
  return [{ base: "/", rest: `**/${clean}` }];
}

const compiled = new Map<string, RegExp>();
const MAX_COMPILED = 1000;

/** A pattern without its base, as an expression over the rest of a path; what lies below it counts too. */
export function globExpression(pattern: string, ignoreCase: boolean): RegExp {
  const key = `${ignoreCase ? "i" : "c"}${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  const made = compile(pattern, ignoreCase);
  compiled.set(key, made);
  return made;
}

function compile(pattern: string, ignoreCase: boolean): RegExp {
  let out = "";
  const text = pattern.replace(/\/+$/, "");
  for (let at = 0; at < text.length; at++) {
    const rest = text.slice(at);
    if (rest.startsWith("**/")) {
      out += "(?:[^/]+/)*";
      at += 2;
    } else if (rest.startsWith("**")) {
      out += ".*";
      at += 1;
    } else if (rest[0] === "*") out += "[^/]*";
    else if (rest[0] === "?") out += "[^/]";
    else if (rest[0] === "[") {
      const set = /^\[(!|\^)?([^\]]+)\]/.exec(rest);
      out += set ? setSource(set[1], set[2] ?? "") : "\\[";
      at += (set?.[0].length ?? 1) - 1;
    } else out += escapeOne(rest[0] ?? "");
  }
  return new RegExp(`^${out}(?:/.*)?$`, ignoreCase ? "isu" : "su");
}

const escapeOne = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const escapeSet = (inside: string): string => inside.replace(/[\\\]^[]/g, "\\$&");

/** A set of letters; one whose range runs backwards matches nothing, as in the shell. */
function setSource(not: string | undefined, inside: string): string {
  const backwards = /(.)-(.)/gsu;
  for (const [, from = "", to = ""] of inside.matchAll(backwards)) {
    if ((from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0)) return not ? "[^/]" : "(?!)";
  }
  return `[${not ? "^/" : ""}${escapeSet(inside)}]`;
}
