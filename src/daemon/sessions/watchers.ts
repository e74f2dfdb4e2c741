import type { Delta, NumberedFact } from "../../protocol/event.ts";
import type { SessionId } from "../../protocol/ids.ts";

/** Somebody who follows a session: a client's connection. */
export type Watcher = {
  id: string;
  fact(sessionId: SessionId, fact: NumberedFact): void;
  delta(sessionId: SessionId, delta: Delta): void;
  /** The session cannot go on (disk full, database broken); what was committed is safe. */
  halted(sessionId: SessionId, error: Error): void;
};

/** Who follows which session. Facts go to all in order; deltas may be dropped by a watcher. */
export type Watchers = {
  add(sessionId: SessionId, watcher: Watcher): void;
  remove(sessionId: SessionId, watcherId: string): void;
  removeAll(watcherId: string): SessionId[];
  count(sessionId: SessionId): number;
  facts(sessionId: SessionId, facts: readonly NumberedFact[]): void;
  delta(sessionId: SessionId, delta: Delta): void;
  halted(sessionId: SessionId, error: Error): void;
};

export function createWatchers(): Watchers {
  const bySession = new Map<SessionId, Map<string, Watcher>>();
  const remove = (sessionId: SessionId, watcherId: string): boolean => {
    const watchers = bySession.get(sessionId);
    const removed = watchers?.delete(watcherId) ?? false;
    if (watchers?.size === 0) bySession.delete(sessionId);
    return removed;
  };
  return {
    add(sessionId, watcher) {
      const watchers = bySession.get(sessionId) ?? new Map<string, Watcher>();
      watchers.set(watcher.id, watcher);
      bySession.set(sessionId, watchers);
    },
    remove,
    removeAll: (watcherId) => [...bySession.keys()].filter((sessionId) => remove(sessionId, watcherId)),
    count: (sessionId) => bySession.get(sessionId)?.size ?? 0,
    facts(sessionId, facts) {
      for (const watcher of bySession.get(sessionId)?.values() ?? []) {
        for (const fact of facts) watcher.fact(sessionId, fact);
      }
    },
    delta(sessionId, delta) {
      for (const watcher of bySession.get(sessionId)?.values() ?? []) watcher.delta(sessionId, delta);
    },
    halted(sessionId, error) {
      for (const watcher of bySession.get(sessionId)?.values() ?? []) watcher.halted(sessionId, error);
    },
  };
}
