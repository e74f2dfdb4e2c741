import type { Fact, FileChangeRow, NumberedFact } from "./event.ts";
import type { CommandId, Json, MessageId, SessionId } from "./ids.ts";
import type { BlobRef, Message } from "./message.ts";
import type { Approval, AuditRow, Grant } from "./permission.ts";
import type { Task, TaskChange, TaskImport } from "./plans.ts";
import type { Result } from "./ports.ts";
import type { SessionInfo, SessionOptions } from "./session.ts";

/** `full`: survives a power cut when the promise resolves. `normal`: survives the death of every process. */
export type Durability = "full" | "normal";

/** What one input changed; written in one transaction. */
export type Commit = {
  sessionId: SessionId;
  /** The number of the last fact the writer knows; a mismatch fails with `seq_conflict`. */
  expectedSeq: number;
  facts: Fact[];
  /** The engine's whole state after the input. */
  state: Json;
  session: SessionInfo;
  /** Marks the client's command as carried out, with the answer a repeat gets. */
  command?: { id: CommandId; answer: Json };
  at: number;
  durability: Durability;
};

/** What is stored of a session besides facts and messages. */
export type StoredSession = {
  session: SessionInfo;
  state: Json;
  seq: number;
  options: SessionOptions;
  /** Allow-listed variables of the client that opened it; never credentials. */
  environment: Record<string, string>;
  /** Hash of the pinned system prompt and tool list; null before the first request. */
  prefixHash: string | null;
};

/**
 * The only way to storage. Everything is async so that a server database can stand behind it. Messages,
 * approvals, audit rows, grants and file changes are derived from the facts inside the same transaction.
 * Failures reject with an AppError (`seq_conflict`, `not_found`, `no_space`, `too_large`, `corrupt`,
 * `newer_database`, `io`).
 */
export type Store = {
  createSession(stored: StoredSession, facts: Fact[], at: number): Promise<NumberedFact[]>;
  commit(commit: Commit): Promise<NumberedFact[]>;
  loadSession(id: SessionId): Promise<StoredSession | null>;
  /**
   * Newest first; `before` is an updatedAt to page with. Subagent sessions only when asked for. Sessions of the
   * same millisecond as the last one come with it, beyond `limit`, so that no page leaves one out.
   */
  listSessions(query: {
    cwd?: string;
    search?: string;
    limit: number;
    before?: number;
    includeChildren?: boolean;
  }): Promise<SessionInfo[]>;
  /** Sessions whose phase is not idle: what a starting daemon must recover. */
  unfinishedSessions(): Promise<SessionId[]>;
  deleteSession(id: SessionId): Promise<boolean>;
  setPrefix(id: SessionId, hash: string): Promise<void>;
  setOptions(id: SessionId, options: SessionOptions): Promise<void>;
  setEnvironment(id: SessionId, environment: Record<string, string>): Promise<void>;

  /** Facts with `seq > afterSeq`, oldest first. */
  factsAfter(id: SessionId, afterSeq: number, limit: number): Promise<NumberedFact[]>;
  /** The newest `limit` facts with `seq < beforeSeq`, oldest first. */
  factsBefore(id: SessionId, beforeSeq: number, limit: number): Promise<NumberedFact[]>;
  commandAnswer(id: SessionId, command: CommandId): Promise<Json | undefined>;

  /** The chain from `head` back to (not including) `until`, or to the root; oldest first. */
  messageChain(head: MessageId, until?: MessageId): Promise<Message[]>;
  /**
   * The newest messages (at most 20) of the chain from `head` to the root whose stored form holds `text`, newest
   * first.
   */
  messagesNaming(head: MessageId, text: string): Promise<Message[]>;
  approvals(query: { sessionId: SessionId; open?: boolean }): Promise<Approval[]>;
  /** The newest `limit` rows, oldest first; with `afterId`, those that follow the first `afterId` rows. */
  audit(query: { sessionId: SessionId; limit: number; afterId?: number }): Promise<AuditRow[]>;
  grants(sessionId: SessionId): Promise<Grant[]>;
  fileChanges(sessionId: SessionId): Promise<FileChangeRow[]>;

  /**
   * Tasks by project (an absolute path), sorted by id. A change is carried out whole or not at all, and survives a
   * power cut. Ids count up per project and are not used again.
   */
  tasks(project: string): Promise<Task[]>;
  task(project: string, id: number): Promise<Result<Task>>;
  createTask(project: string, task: { subject: string; description: string }): Promise<Task>;
  updateTask(project: string, id: number, change: TaskChange): Promise<Result<Task>>;
  deleteTask(project: string, id: number): Promise<boolean>;
  /** Takes tasks with their ids; one whose id is taken is left out unless `replace`. */
  importTasks(project: string, tasks: readonly Task[], replace: boolean): Promise<TaskImport>;

  /** Writes the bytes (if new) before it resolves; capped at 64 MiB. */
  putBlob(bytes: Uint8Array, mediaType: string): Promise<BlobRef>;
  /** A part of a blob; `null` when it is not there. */
  getBlob(hash: string, range?: { offset: number; length: number }): Promise<Uint8Array | null>;
  /** Deletes blobs that no fact, prefix or file change names; gives how many and their bytes. */
  sweepBlobs(): Promise<{ count: number; bytes: number }>;

  stats(): Promise<{ sessions: number; databaseBytes: number; blobBytes: number; schemaVersion: number }>;
  close(): Promise<void>;
};
