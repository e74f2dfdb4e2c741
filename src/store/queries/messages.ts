import type { Message } from "../../protocol/message.ts";
import { AppError } from "../../shared/error.ts";
import type { Database } from "../adapter.ts";

export function insertMessage(db: Database, sessionId: string, message: Message): void {
  db.run(
    "INSERT INTO messages (id, session, parent, json) VALUES (?, ?, ?, ?)",
    message.id,
    sessionId,
    message.parentId,
    JSON.stringify(message),
  );
}

/**
 * From `head` back to (not including) `until`, or to the root when `until` is not on the way; oldest first.
 * AppError `not_found` for an unknown head, `corrupt` when a message on the way is missing.
 */
export function messageChain(db: Database, head: string, until: string | null): Message[] {
  // CROSS JOIN keeps the order of the walk, so that nothing has to be sorted.
  const rows = db.all<{ json: string }>(
    `WITH RECURSIVE chain (id, parent) AS (
       SELECT id, parent FROM messages WHERE id = ?1 AND id IS NOT ?2
       UNION ALL
       SELECT messages.id, messages.parent FROM chain JOIN messages ON messages.id = chain.parent
       WHERE messages.id IS NOT ?2
     )
     SELECT messages.json FROM chain CROSS JOIN messages ON messages.id = chain.id`,
    head,
    until,
  );
  const chain = rows.map((row) => JSON.parse(row.json) as Message).reverse();
  const oldest = chain[0];
  if (!oldest) {
    if (head === until) return [];
    throw new AppError("not_found", `there is no message ${head}`);
  }
  if (oldest.parentId !== null && oldest.parentId !== until) {
    throw new AppError("corrupt", `message ${oldest.parentId} is missing from the stored conversation`);
  }
  return chain;
}

/** At most so many messages are given by `messagesNaming`. */
const NAMING_MOST = 20;

/** The newest messages from `head` to the root whose JSON holds `text`, newest first. */
export function messagesNaming(db: Database, head: string, text: string): Message[] {
  const rows = db.all<{ json: string }>(
    `WITH RECURSIVE chain (id, parent) AS (
       SELECT id, parent FROM messages WHERE id = ?1
       UNION ALL
       SELECT messages.id, messages.parent FROM chain JOIN messages ON messages.id = chain.parent
     )
     SELECT messages.json FROM chain CROSS JOIN messages ON messages.id = chain.id
     WHERE instr(messages.json, ?2) > 0 LIMIT ${NAMING_MOST}`,
    head,
    text,
  );
  return rows.map((row) => JSON.parse(row.json) as Message);
}
