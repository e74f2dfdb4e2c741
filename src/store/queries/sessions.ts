import type { Json } from "../../protocol/ids.ts";
import type { SessionInfo, SessionOptions } from "../../protocol/session.ts";
import type { Store, StoredSession } from "../../protocol/store-port.ts";
import { AppError } from "../../shared/error.ts";
import type { Database } from "../adapter.ts";
import { phaseOf, SESSION_COLUMNS, type SessionRow, sessionOf, sessionRow } from "./session-row.ts";

const COLUMNS = SESSION_COLUMNS.join(", ");
const INSERT = `INSERT INTO sessions (${COLUMNS}, phase, seq) VALUES (${SESSION_COLUMNS.map(() => "?").join(", ")}, ?, ?)`;

/** What nearly every commit changes. */
const UPDATE_ALWAYS = `UPDATE sessions SET title = ?, model = ?, mode = ?, status = ?, head = ?, usage = ?,
  message_count = ?, updated_at = ?, seq = ? WHERE id = ?`;
/** Apart from the rest: an index is written anew for each of its columns that is set, changed or not. */
const UPDATE_RARELY = `UPDATE sessions SET cwd = ?1, roots = ?2, parent_session = ?3, parent_run = ?4,
  parent_call = ?5, sandbox = ?6, created_at = ?7, phase = ?8 WHERE id = ?9 AND
  (cwd, roots, parent_session, parent_run, parent_call, sandbox, created_at, phase) IS NOT
  (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;

/** Adds the rows of a new session; AppError `seq_conflict` when the id is taken. */
export function insertSession(db: Database, stored: StoredSession, seq: number): void {
  const { id } = stored.session;
  if (sessionSeq(db, id) !== null) throw new AppError("seq_conflict", `session ${id} is stored already`);
  const row = sessionRow(stored.session);
  db.run(INSERT, ...SESSION_COLUMNS.map((column) => row[column]), phaseOf(stored.state), seq);
  db.run("INSERT INTO session_states (session, state) VALUES (?, ?)", id, JSON.stringify(stored.state));
  db.run(
    "INSERT INTO session_contexts (session, options, environment, prefix_hash) VALUES (?, ?, ?, ?)",
    id,
    JSON.stringify(stored.options),
    JSON.stringify(stored.environment),
    stored.prefixHash,
  );
}

export function updateSession(db: Database, session: SessionInfo, state: Json, seq: number): void {
  const row = sessionRow(session);
  const { title, model, mode, status, head, usage, message_count, updated_at, id } = row;
  db.run(UPDATE_ALWAYS, title, model, mode, status, head, usage, message_count, updated_at, seq, id);
  const { cwd, roots, parent_session, parent_run, parent_call, sandbox, created_at } = row;
  const phase = phaseOf(state);
  db.run(UPDATE_RARELY, cwd, roots, parent_session, parent_run, parent_call, sandbox, created_at, phase, id);
  db.run("UPDATE session_states SET state = ? WHERE session = ?", JSON.stringify(state), id);
}

/** The number of the session's last fact; null when there is no such session. */
export function sessionSeq(db: Database, id: string): number | null {
  return db.get<{ seq: number }>("SELECT seq FROM sessions WHERE id = ?", id)?.seq ?? null;
}

type WholeRow = SessionRow & {
  seq: number;
  state: string;
  options: string;
  environment: string;
  prefix_hash: string | null;
};

export function loadSession(db: Database, id: string): StoredSession | null {
  const row = db.get<WholeRow>(
    `SELECT ${COLUMNS}, seq, state, options, environment, prefix_hash FROM sessions
     JOIN session_states ON session_states.session = id JOIN session_contexts ON session_contexts.session = id
     WHERE id = ?`,
    id,
  );
  if (!row) return null;
  return {
    session: sessionOf(row),
    state: JSON.parse(row.state) as Json,
    seq: row.seq,
    options: JSON.parse(row.options) as StoredSession["options"],
    environment: JSON.parse(row.environment) as Record<string, string>,
    prefixHash: row.prefix_hash,
  };
}

/** Gives false when there is no such session. */
export function setPrefix(db: Database, id: string, hash: string): boolean {
  return db.run("UPDATE session_contexts SET prefix_hash = ? WHERE session = ?", hash, id) > 0;
}

export function setOptions(db: Database, id: string, options: SessionOptions): boolean {
  const json = JSON.stringify(options);
  return db.run("UPDATE session_contexts SET options = ? WHERE session = ?", json, id) > 0;
}

export function setEnvironment(db: Database, id: string, environment: Record<string, string>): boolean {
  const json = JSON.stringify(environment);
  return db.run("UPDATE session_contexts SET environment = ? WHERE session = ?", json, id) > 0;
}

export function unfinishedSessions(db: Database): string[] {
  // The literal and the `+` make SQLite use the partial index, not the one by time.
  return db
    .all<{ id: string }>("SELECT id FROM sessions WHERE phase <> 'idle' ORDER BY +updated_at, id")
    .map((row) => row.id);
}

type Listing = Parameters<Store["listSessions"]>[0];

const PAGE = 200;

/**
 * Newest first. Sessions of the same millisecond as the last one come with it, beyond `limit`, so that paging
 * by `before` leaves none out. Rows are read a page at a time, never all.
 */
export function listSessions(db: Database, query: Listing): SessionInfo[] {
  const found: SessionInfo[] = [];
  const matches = matcher(query.search);
  for (let offset = 0; query.limit > 0; offset += PAGE) {
    const rows = listPage(db, query, offset);
    for (const row of rows) {
      if (found.length >= query.limit && found.at(-1)?.updatedAt !== row.updated_at) return found;
      const session = sessionOf(row);
      if (matches(session)) found.push(session);
    }
    if (rows.length < PAGE) break;
  }
  return found;
}

function listPage(db: Database, query: Listing, offset: number): SessionRow[] {
  const { cwd, before, includeChildren } = query;
  const terms = [
    cwd === undefined ? "" : "cwd = ?",
    before === undefined ? "" : "updated_at < ?",
    includeChildren ? "" : "parent_session IS NULL",
  ].filter((term) => term !== "");
  const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
  const values = [cwd, before].filter((value) => value !== undefined);
  return db.all<SessionRow>(
    `SELECT ${COLUMNS} FROM sessions ${where} ORDER BY updated_at DESC, id DESC LIMIT ${PAGE} OFFSET ?`,
    ...values,
    offset,
  );
}

/** Looks in title and folder, whatever the case, and for the beginning of an id. */
function matcher(search: string | undefined): (session: SessionInfo) => boolean {
  if (search === undefined || search === "") return () => true;
  const wanted = search.toLowerCase();
  return ({ id, title, cwd }) =>
    title.toLowerCase().includes(wanted) || cwd.toLowerCase().includes(wanted) || id.startsWith(wanted);
}
