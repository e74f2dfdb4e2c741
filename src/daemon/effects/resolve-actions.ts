import type { ResolvedAction } from "../../protocol/permission.ts";
import type { Action, Place } from "../../protocol/tool.ts";
import { resolveReal } from "../../sandbox/file-guard.ts";

/** Actions with every path followed to what it really names; one resolver for policy and for the act. */
export async function resolveActions(actions: readonly Action[], place: Place): Promise<ResolvedAction[]> {
  return await Promise.all(
    actions.map(async (action): Promise<ResolvedAction> => {
      if (action.type !== "read_path" && action.type !== "write_path") return action;
      return { ...action, realPath: await resolveReal(action.path, place) };
    }),
  );
}
