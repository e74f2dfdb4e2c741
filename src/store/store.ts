import { statSync } from "node:fs";
import type { Durability, Store } from "../protocol/store-port.ts";
import { AppError, errorCode } from "../shared/error.ts";
import type { Database } from "./adapter.ts";
import type { BlobFiles } from "./blobs/blob-files.ts";
import { getBlob, putBlob } from "./blobs/blobs.ts";
import { sweepBlobs } from "./blobs/sweep.ts";
import { applyCommit, createSession } from "./commit.ts";
import { schemaVersion } from "./migrations/migrate.ts";
import { approvalsOf } from "./queries/approvals.ts";
import { commandAnswer } from "./queries/commands.ts";
import { deleteSession } from "./queries/delete-session.ts";
import { auditRows, factsAfter, factsBefore, fileChangesOf, grantsOf } from "./queries/facts.ts";
import { messageChain, messagesNaming } from "./queries/messages.ts";
import { phaseOf } from "./queries/session-row.ts";
import {
  listSessions,
  loadSession,
  setEnvironment,
  setOptions,
  setPrefix,
  unfinishedSessions,
} from "./queries/sessions.ts";
import { createTask, deleteTask, importTasks, taskById, tasksOf, updateTask } from "./queries/tasks.ts";
import { toStoreError } from "./sqlite-error.ts";

export type StoreParts = {
  db: Database;
  files: BlobFiles;
  /** Of the database file. */
  path: string;
  now: () => number;
};

/**
 * The Store over an open database. SQLite answers within the call; the promises are for the port's sake. Every
 * failure is an AppError.
 */
export function createStore({ db, files, path, now }: StoreParts): Store {
  const pause = createPause(() => guard(() => db.exec("PRAGMA wal_checkpoint(TRUNCATE)")));
  let deletions = 0;
  let sweeping: Promise<{ count: number; bytes: number }> | null = null;

  const guard = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error, path);
    }
  };
  const write = <T>(durability: Durability, work: () => T): Promise<T> =>
    guard(() => withSpace(db, path, () => db.transaction(durability, work)));

  return {
    createSession: (stored, facts, at) => write("normal", () => createSession(db, stored, facts, at)),
    commit: (commit) => {
      if (phaseOf(commit.state) === "idle") pause.begin();
      else pause.end();
      return write(commit.durability, () => applyCommit(db, commit));
    },
    loadSession: (id) => guard(() => loadSession(db, id)),
    listSessions: (query) => guard(() => listSessions(db, query)),
    unfinishedSessions: () => guard(() => unfinishedSessions(db)),
    deleteSession: (id) =>
      guard(() => {
        deletions += 1;
        const deleted = withSpace(db, path, () => db.transaction("normal", () => deleteSession(db, id)));
        if (deleted) giveBackSpace(db, path);
        return deleted;
      }),
    setPrefix: (id, hash) => write("normal", () => found(setPrefix(db, id, hash), id)),
    setOptions: (id, options) => write("normal", () => found(setOptions(db, id, options), id)),
    setEnvironment: (id, environment) =>
      write("normal", () => found(setEnvironment(db, id, environment), id)),

    factsAfter: (id, afterSeq, limit) => guard(() => factsAfter(db, id, afterSeq, limit)),
    factsBefore: (id, beforeSeq, limit) => guard(() => factsBefore(db, id, beforeSeq, limit)),
    commandAnswer: (id, command) => guard(() => commandAnswer(db, id, command)),
    messageChain: (head, until) => guard(() => messageChain(db, head, until ?? null)),
    messagesNaming: (head, text) => guard(() => messagesNaming(db, head, text)),
    approvals: (query) => guard(() => approvalsOf(db, query)),
    audit: (query) => guard(() => auditRows(db, query)),
    grants: (sessionId) => guard(() => grantsOf(db, sessionId)),
    fileChanges: (sessionId) => guard(() => fileChangesOf(db, sessionId)),

    tasks: (project) => write("normal", () => tasksOf(db, project)),
    task: (project, id) => write("normal", () => taskById(db, project, id)),
    createTask: (project, task) => write("full", () => createTask(db, project, task)),
    updateTask: (project, id, change) => write("full", () => updateTask(db, project, id, change)),
    deleteTask: (project, id) => write("full", () => deleteTask(db, project, id)),
    importTasks: (project, tasks, replace) => write("full", () => importTasks(db, project, tasks, replace)),

    putBlob: (bytes, mediaType) => guard(() => putBlob(db, files, bytes, mediaType, now())),
    getBlob: (hash, range) => guard(() => getBlob(db, files, hash, range)),
    sweepBlobs: () => {
      sweeping ??= guard(() => sweepBlobs(db, files, now, () => deletions)).finally(() => {
        sweeping = null;
      });
      return sweeping;
    },

    stats: () => guard(() => statsOf(db, path)),
    close: async () => {
      pause.end();
      await sweeping?.catch(() => undefined);
      await guard(() => db.close());
    },
  };
}

const PAUSE_MS = 250;

/**
 * Runs the work once, a moment after the last commit left its session idle: writing the WAL back costs some
 * milliseconds, which no turn should wait for. A failure is no loss; the WAL is written back another time.
 */
function createPause(work: () => Promise<void>): { begin(): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => clearTimeout(timer);
  return {
    begin() {
      end();
      timer = setTimeout(() => work().catch(() => undefined), PAUSE_MS);
      timer.unref();
    },
    end,
  };
}

/**
 * On a full disk the WAL cannot grow, but most of what it holds can be written back into the database, which
 * needs little new space. So that is tried, and then the work once more.
 */
function withSpace<T>(db: Database, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (toStoreError(error, path).code !== "no_space") throw error;
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return work();
  }
}

/** What was deleted is deleted, also when a full disk leaves no room to move the rest together. */
function giveBackSpace(db: Database, path: string): void {
  try {
    db.exec("PRAGMA incremental_vacuum");
  } catch (error) {
    if (toStoreError(error, path).code !== "no_space") throw error;
  }
}

function found(changed: boolean, id: string): void {
  if (!changed) throw new AppError("not_found", `there is no session ${id}`);
}

function statsOf(db: Database, path: string): Awaited<ReturnType<Store["stats"]>> {
  const { sessions, bytes } = db.get<{ sessions: number; bytes: number }>(
    "SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT coalesce(sum(size), 0) FROM blobs) AS bytes",
  ) ?? { sessions: 0, bytes: 0 };
  return {
    sessions,
    databaseBytes: sizeOf(path) + sizeOf(`${path}-wal`),
    blobBytes: bytes,
    schemaVersion: schemaVersion(db),
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}
