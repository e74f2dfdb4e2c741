import type { Fact, FileChangeRow, NumberedFact } from "../../protocol/event.ts";
import type { AuditRow, Grant } from "../../protocol/permission.ts";
import type { Database } from "../adapter.ts";
import { putApproval } from "./approvals.ts";
import { insertMessage } from "./messages.ts";

type FactRow = { seq: number; at: number; json: string | null; message: string | null };

const SELECT = `SELECT facts.seq, facts.at, facts.json, messages.json AS message
  FROM facts LEFT JOIN messages ON messages.id = facts.message`;

/** Numbers the facts from `seq + 1` on and stores them with what is derived from them. */
export function insertFacts(
  db: Database,
  sessionId: string,
  facts: readonly Fact[],
  seq: number,
  at: number,
): NumberedFact[] {
  return facts.map((fact, index) => {
    const numbered = { seq: seq + index + 1, at, fact };
    insertFact(db, sessionId, numbered);
    return numbered;
  });
}

function insertFact(db: Database, sessionId: string, { seq, at, fact }: NumberedFact): void {
  const isMessage = fact.type === "message_added";
  if (isMessage) insertMessage(db, sessionId, fact.message);
  else if (fact.type === "approval_requested" || fact.type === "approval_resolved") {
    putApproval(db, fact.approval);
  }
  db.run(
    "INSERT INTO facts (session, seq, at, type, json, message) VALUES (?, ?, ?, ?, ?, ?)",
    sessionId,
    seq,
    at,
    fact.type,
    isMessage ? null : JSON.stringify(fact),
    isMessage ? fact.message.id : null,
  );
}

export function factsAfter(db: Database, id: string, afterSeq: number, limit: number): NumberedFact[] {
  return db
    .all<FactRow>(`${SELECT} WHERE facts.session = ? AND seq > ? ORDER BY seq LIMIT ?`, id, afterSeq, limit)
    .map(factOf);
}

export function factsBefore(db: Database, id: string, beforeSeq: number, limit: number): NumberedFact[] {
  return db
    .all<FactRow>(
      `${SELECT} WHERE facts.session = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
      id,
      beforeSeq,
      limit,
    )
    .map(factOf)
    .reverse();
}

function factOf({ seq, at, json, message }: FactRow): NumberedFact {
  const fact =
    message === null
      ? (JSON.parse(json ?? "null") as Fact)
      : ({ type: "message_added", message: JSON.parse(message) } as Fact);
  return { seq, at, fact };
}

type JsonRow = { json: string };
type Of<Type extends Fact["type"]> = Extract<Fact, { type: Type }>;

/** The newest `limit` rows, oldest first; with `afterId`, those that follow the first `afterId` rows. */
export function auditRows(
  db: Database,
  query: { sessionId: string; limit: number; afterId?: number },
): AuditRow[] {
  const { sessionId, limit, afterId } = query;
  const select = "SELECT json FROM facts WHERE session = ? AND type = 'decision_recorded' ORDER BY seq";
  const rows =
    afterId === undefined
      ? db.all<JsonRow>(`${select} DESC LIMIT ?`, sessionId, limit).reverse()
      : db.all<JsonRow>(`${select} LIMIT ? OFFSET ?`, sessionId, limit, afterId);
  return rows.map((row) => (JSON.parse(row.json) as Of<"decision_recorded">).audit);
}

export function grantsOf(db: Database, sessionId: string): Grant[] {
  return db
    .all<JsonRow>("SELECT json FROM facts WHERE session = ? AND type = 'grant_added' ORDER BY seq", sessionId)
    .map((row) => (JSON.parse(row.json) as Of<"grant_added">).grant);
}

export function fileChangesOf(db: Database, sessionId: string): FileChangeRow[] {
  return db
    .all<JsonRow>(
      "SELECT json FROM facts WHERE session = ? AND type = 'file_changed' ORDER BY seq",
      sessionId,
    )
    .map((row) => (JSON.parse(row.json) as Of<"file_changed">).change);
}
