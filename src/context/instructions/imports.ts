import { dirname, isAbsolute, join, resolve } from "node:path";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const IMPORT = /(?<=^|\s)@((?:\\ |[^\s`])+)/g;
const MAX_IMPORTS = 30;

/**
 * The paths after `@` in an instruction file, made absolute, each once and at most 30. What stands in code is
 * not an import; neither is an e-mail address. Whether a path exists is for the caller to see.
 */
export function importsOf(text: string, file: string, home: string): string[] {
  const found = new Set<string>();
  for (const [, written] of withoutCode(text).matchAll(IMPORT)) {
    const path = (written ?? "").replaceAll("\\ ", " ").replace(/[.,;:!?)\]}'"]+$/, "");
    if (path === "" || path === "~" || !/[\w]/.test(path)) continue;
    if (path.startsWith("~/")) found.add(join(home, path.slice(2)));
    else found.add(isAbsolute(path) ? resolve(path) : resolve(dirname(file), path));
    if (found.size >= MAX_IMPORTS) break;
  }
  return [...found];
}

/** True when nothing but imports stands in the text. */
export function onlyImports(text: string): boolean {
  return withoutCode(text) === text && text.replace(IMPORT, "").trim() === "";
}

/** The text without fenced blocks and code spans; an open fence runs to the end. */
function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === null && mark) fence = mark;
    else if (fence !== null) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
    } else kept.push(line);
  }
  return kept.join("\n").replace(/(`+)[^`](?:[^\n]*?[^`])?\1(?!`)/g, "");
}
