import { contextReport } from "../../../context/compaction/context-report.ts";
import { AppError } from "../../../shared/error.ts";
import { requireModel } from "../../effects/find-model.ts";
import { sessionHistory } from "../../effects/session-history.ts";
import { sessionPrefix } from "../../effects/session-prefix.ts";
import type { Handlers } from "../handlers.ts";
import type { MethodPorts } from "./method-ports.ts";

type CompactionMethods = Pick<Handlers, "session.compact" | "session.context">;

/** Methods about the room that a conversation takes. */
export function compactionMethods({ hub, effects }: MethodPorts): CompactionMethods {
  return {
    "session.compact": async ({ sessionId, commandId, focus }) => {
      const { actor } = await hub.get(sessionId);
      if (actor.state.phase.type !== "idle") {
        throw new AppError("busy", "the session is working; it is compacted by itself when it has to be");
      }
      await actor.submit(
        { type: "compact_requested", commandId, focus: focus ?? null },
        { id: commandId, answer: () => ({}) },
      );
      return {};
    },

    "session.context": async ({ sessionId }) => {
      const runtime = await hub.get(sessionId);
      const { head, model } = runtime.actor.state;
      return contextReport({
        chain: head === null ? [] : await sessionHistory(head, runtime, effects),
        // Nothing is pinned for a look: instructions may still change before the first request.
        prefix: runtime.prefixHash === null ? null : await sessionPrefix(runtime, effects),
        model: requireModel(model, runtime),
        compactAt: runtime.settings.config.context.compactAt,
      });
    },
  };
}
