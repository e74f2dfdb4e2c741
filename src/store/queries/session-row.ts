import type { Json } from "../../protocol/ids.ts";
import type { SessionInfo } from "../../protocol/session.ts";

/** A row of `sessions` without phase and seq. */
export type SessionRow = {
  id: string;
  /** As JSON, like every text of people: a NUL would end a plain text early. */
  title: string;
  cwd: string;
  roots: string;
  model: string;
  mode: string;
  status: string;
  head: string | null;
  parent_session: string | null;
  parent_run: string | null;
  parent_call: string | null;
  sandbox: string;
  usage: string;
  message_count: number;
  created_at: number;
  updated_at: number;
};

export const SESSION_COLUMNS = [
  "id",
  "title",
  "cwd",
  "roots",
  "model",
  "mode",
  "status",
  "head",
  "parent_session",
  "parent_run",
  "parent_call",
  "sandbox",
  "usage",
  "message_count",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof SessionRow)[];

export function sessionRow(session: SessionInfo): SessionRow {
  return {
    id: session.id,
    title: JSON.stringify(session.title),
    cwd: session.cwd,
    roots: JSON.stringify(session.roots),
    model: session.model,
    mode: session.mode,
    status: session.status,
    head: session.head,
    parent_session: session.parentSessionId,
    parent_run: session.parentRunId,
    parent_call: session.parentCallId,
    sandbox: session.sandbox,
    usage: JSON.stringify(session.usage),
    message_count: session.messageCount,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
  };
}

export function sessionOf(row: SessionRow): SessionInfo {
  return {
    id: row.id,
    title: JSON.parse(row.title) as string,
    cwd: row.cwd,
    roots: JSON.parse(row.roots) as string[],
    model: row.model,
    mode: row.mode as SessionInfo["mode"],
    status: row.status as SessionInfo["status"],
    head: row.head,
    parentSessionId: row.parent_session,
    parentRunId: row.parent_run,
    parentCallId: row.parent_call,
    sandbox: row.sandbox as SessionInfo["sandbox"],
    usage: JSON.parse(row.usage) as SessionInfo["usage"],
    messageCount: row.message_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The name of the engine's phase in its state; a state that names none counts as unfinished. */
export function phaseOf(state: Json): string {
  if (typeof state !== "object" || state === null || Array.isArray(state)) return "unknown";
  const { phase } = state;
  if (typeof phase !== "object" || phase === null || Array.isArray(phase)) return "unknown";
  return typeof phase.type === "string" ? phase.type : "unknown";
}
