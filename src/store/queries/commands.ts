import type { Json } from "../../protocol/ids.ts";
import type { Database } from "../adapter.ts";

/** Answers kept per session: far more than a client can have in doubt. */
const KEPT = 1000;

/** Marks a command as carried out; the first answer stands. */
export function insertCommand(db: Database, sessionId: string, command: { id: string; answer: Json }): void {
  const last = db.get<{ n: number | null }>(
    "SELECT max(n) AS n FROM commands WHERE session = ?",
    sessionId,
  )?.n;
  const n = (last ?? 0) + 1;
  db.run(
    "INSERT INTO commands (session, id, n, answer) VALUES (?, ?, ?, ?) ON CONFLICT (session, id) DO NOTHING",
    sessionId,
    command.id,
    n,
    JSON.stringify(command.answer),
  );
  db.run("DELETE FROM commands WHERE session = ? AND n <= ?", sessionId, n - KEPT);
}

/** What a repeat of the command is answered; `undefined` when it was not carried out (or long ago). */
export function commandAnswer(db: Database, sessionId: string, id: string): Json | undefined {
  const row = db.get<{ answer: string }>(
    "SELECT answer FROM commands WHERE session = ? AND id = ?",
    sessionId,
    id,
  );
  return row && (JSON.parse(row.answer) as Json);
}
