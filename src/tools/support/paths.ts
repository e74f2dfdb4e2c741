import { isAbsolute, join, normalize, relative } from "node:path";
import type { Place } from "../../protocol/tool.ts";

/**
 * The absolute path that a model's path means: relative to the working directory, `~` is the home. `..` is
 * left in it, so that a path spelled from the work tree is never taken for one in the private /tmp.
 */
export function absolutePath(path: string, place: Place): string {
  if (path === "~") return place.home;
  if (path.startsWith("~/")) return join(place.home, path.slice(2));
  if (isAbsolute(path)) return normalize(path);
  return path.split("/").includes("..") ? `${place.cwd}/${path}` : join(place.cwd, path);
}

/** A path as it is shown: relative when it lies below the working directory. */
export function shownPath(path: string, place: Place): string {
  const below = relative(place.cwd, path);
  if (below === "") return ".";
  return below.startsWith("..") || below.startsWith("/") ? path : below;
}
