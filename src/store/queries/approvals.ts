import type { Approval } from "../../protocol/permission.ts";
import type { Database } from "../adapter.ts";

/** Stores an approval, or what became of it. */
export function putApproval(db: Database, approval: Approval): void {
  db.run(
    `INSERT INTO approvals (id, session, status, json) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, json = excluded.json`,
    approval.id,
    approval.sessionId,
    approval.status,
    JSON.stringify(approval),
  );
}

/** In the order in which they were asked; only open ones, or only closed ones, when `open` says so. */
export function approvalsOf(db: Database, query: { sessionId: string; open?: boolean }): Approval[] {
  const term = query.open === undefined ? "" : query.open ? "AND status = 'open'" : "AND status <> 'open'";
  return db
    .all<{ json: string }>(
      `SELECT json FROM approvals WHERE session = ? ${term} ORDER BY rowid`,
      query.sessionId,
    )
    .map((row) => JSON.parse(row.json) as Approval);
}
