/** Path arithmetic without the machine: POSIX, absolute paths, no links followed. */

/** `path` made absolute against `base`, with `.`, `..` and doubled slashes taken away. */
export function resolveLexical(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** True when `path` is `parent` or lies below it; by component. */
export function isWithin(parent: string, path: string): boolean {
  if (path === parent || parent === "/") return true;
  return path.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
}

/** The part of `path` below `parent`, or null when it lies elsewhere. */
export function below(parent: string, path: string): string | null {
  if (!isWithin(parent, path)) return null;
  return path.slice(parent === "/" ? 1 : parent.length + 1);
}

/** The path above, `/` at the top. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at <= 0 ? "/" : path.slice(0, at);
}
