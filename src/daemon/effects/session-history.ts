import { neededChain } from "../../context/compaction/shown-history.ts";
import type { Message } from "../../protocol/message.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";

/**
 * The stored chain up to `head`, as far as requests need it: from the root, or from what the newest compaction
 * kept. Only what is new is loaded.
 */
export async function sessionHistory(
  head: string,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<Message[]> {
  const known = runtime.history;
  const last = known.at(-1);
  if (last?.id === head) return known;
  const until = last?.id ?? runtime.actor.state.droppedThrough ?? undefined;
  const newer = await ports.store.messageChain(head, until);
  // Not on the known chain (after a fork or clear): the store then gave the whole chain.
  const chain = last && newer[0]?.parentId === last.id ? [...known, ...newer] : newer;
  runtime.history = neededChain(chain);
  return runtime.history;
}
