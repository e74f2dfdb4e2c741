import { lstatSync, readFileSync } from "node:fs";
import { isWithin } from "../../shared/fs.ts";
import { realOrNull } from "../git/repositories.ts";

/**
 * Sockets of the host that have a path, as the kernel lists them; programs inside could connect to them.
 * `covered` are the places that commands do not see, but for the `shown` ones inside them; `granted` may be used.
 */
export function hostSockets(
  covered: readonly string[],
  shown: readonly string[],
  granted: readonly string[],
): string[] {
  const isWithinAny = (folders: readonly string[], path: string): boolean =>
    folders.some((folder) => isWithin(folder, path));
  const found = new Set<string>();
  for (const path of listedSockets()) {
    if ((isWithinAny(covered, path) && !isWithinAny(shown, path)) || granted.includes(path)) continue;
    const real = realOrNull(path);
    if (real === null || granted.includes(real)) continue;
    if (lstatSync(real, { throwIfNoEntry: false })?.isSocket()) found.add(real);
  }
  return [...found];
}

function listedSockets(): string[] {
  let text: string;
  try {
    text = readFileSync("/proc/net/unix", "utf8");
  } catch {
    return [];
  }
  const paths = text.split("\n").map((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}
