import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ResolvedAction } from "../../protocol/permission.ts";
import type { Action, Place } from "../../protocol/tool.ts";
import { resolveInPlace } from "../../sandbox/file-guard.ts";

/** Actions with every path followed to what it really names; one resolver for policy and for the act. */
export async function resolveActions(actions: readonly Action[], place: Place): Promise<ResolvedAction[]> {
  return await Promise.all(
    actions.map(async (action): Promise<ResolvedAction> => {
      if (action.type !== "read_path" && action.type !== "write_path") return action;
      // What cannot be resolved (a NUL, a link loop) is judged by its text and then refused by the file layer.
      const final =
        action.type === "write_path" && (action.change === "delete" || action.change === "move")
          ? "keep"
          : "follow";
      const real = await resolveInPlace(place, action.path, final);
      return { ...action, realPath: real.ok ? real.value : action.path };
    }),
  );
}

/** Where a path that a command names leads, as far as it exists; the rest is taken as it is. Reads links only. */
export function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(followLinks(parent), basename(path));
  }
}
