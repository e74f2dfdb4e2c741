import type { Database } from "../adapter.ts";

/**
 * Deletes a session, its subagents' sessions and all that is theirs. Messages stay where another session still
 * stands on them or on one that follows. Gives false when there is no such session.
 */
export function deleteSession(db: Database, id: string): boolean {
  const family = db.all<{ id: string }>(
    `WITH RECURSIVE family (id) AS (
       SELECT id FROM sessions WHERE id = ?
       UNION
       SELECT sessions.id FROM family JOIN sessions ON sessions.parent_session = family.id
     )
     SELECT id FROM family`,
    id,
  );
  for (const member of family) {
    db.run("DELETE FROM sessions WHERE id = ?", member.id);
    for (const table of ["session_states", "session_contexts", "facts", "approvals", "commands"]) {
      db.run(`DELETE FROM ${table} WHERE session = ?`, member.id);
    }
  }
  if (family.length > 0) db.run(DELETE_UNUSED_MESSAGES);
  return family.length > 0;
}

/**
 * Of the messages whose session is gone (now or earlier), those are kept that are a living session's head or
 * the parent of a living session's message, with all that precede them.
 */
const DELETE_UNUSED_MESSAGES = `
WITH RECURSIVE
orphan (id) AS MATERIALIZED (
  SELECT id FROM messages WHERE session NOT IN (SELECT id FROM sessions)
),
needed (id, parent) AS (
  SELECT id, parent FROM messages WHERE id IN (SELECT id FROM orphan) AND (
    id IN (SELECT head FROM sessions WHERE head IS NOT NULL)
    OR EXISTS (
      SELECT 1 FROM messages AS next JOIN sessions ON sessions.id = next.session WHERE next.parent = messages.id
    )
  )
  UNION
  SELECT messages.id, messages.parent FROM needed JOIN messages ON messages.id = needed.parent
)
DELETE FROM messages WHERE id IN (SELECT id FROM orphan) AND id NOT IN (SELECT id FROM needed)`;
