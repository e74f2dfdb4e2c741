import type { Fact, NumberedFact } from "../protocol/event.ts";
import type { Commit, StoredSession } from "../protocol/store-port.ts";
import { AppError } from "../shared/error.ts";
import type { Database } from "./adapter.ts";
import { insertCommand } from "./queries/commands.ts";
import { insertFacts } from "./queries/facts.ts";
import { insertSession, sessionSeq, updateSession } from "./queries/sessions.ts";

/** Writes a new session with its first facts, numbered after `stored.seq`. Runs inside a transaction. */
export function createSession(
  db: Database,
  stored: StoredSession,
  facts: Fact[],
  at: number,
): NumberedFact[] {
  insertSession(db, stored, stored.seq + facts.length);
  return insertFacts(db, stored.session.id, facts, stored.seq, at);
}

/**
 * Writes all that one input changed. Runs inside a transaction. AppError `seq_conflict` when the session has
 * gone on without the writer, `not_found` when it is gone.
 */
export function applyCommit(db: Database, commit: Commit): NumberedFact[] {
  const { sessionId, expectedSeq, facts, state, session, command, at } = commit;
  const seq = sessionSeq(db, sessionId);
  if (seq === null) throw new AppError("not_found", `there is no session ${sessionId}`);
  if (seq !== expectedSeq) {
    throw new AppError(
      "seq_conflict",
      `session ${sessionId} stands at fact ${seq}, not at ${expectedSeq}: another writer changed it; open it again`,
    );
  }
  const numbered = insertFacts(db, sessionId, facts, seq, at);
  updateSession(db, session, state, seq + facts.length);
  if (command) insertCommand(db, sessionId, command);
  return numbered;
}
