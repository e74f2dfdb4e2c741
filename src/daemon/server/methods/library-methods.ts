import { realpath } from "node:fs/promises";
import { initialState } from "../../../engine/initial.ts";
import type { EngineState } from "../../../engine/state.ts";
import type { Json, JsonObject } from "../../../protocol/ids.ts";
import type { SessionInfo } from "../../../protocol/session.ts";
import { AppError } from "../../../shared/error.ts";
import { removeLedgerFile } from "../../sessions/ledger-file.ts";
import type { Handlers } from "../handlers.ts";
import type { MethodPorts } from "./method-ports.ts";

type LibraryMethods = Pick<
  Handlers,
  | "session.fork"
  | "session.list"
  | "session.facts"
  | "session.audit"
  | "session.delete"
  | "session.export"
  | "blob.read"
>;

const LIST_DEFAULT = 50;
const LIST_MAX = 500;
const FACTS_MAX = 2000;
const AUDIT_MAX = 1000;
const BLOB_PART = 4 * 1024 * 1024;

/** Methods that read, copy and delete stored sessions. */
export function libraryMethods(ports: MethodPorts): LibraryMethods {
  const { hub, effects } = ports;
  const { store } = effects;
  return {
    "session.fork": async (params) => {
      const stored = await store.loadSession(params.sessionId);
      if (!stored) throw notFound(params.sessionId);
      const head = params.at ?? stored.session.head;
      if (params.at && !(await isOnChain(params.at, stored.session.head, ports))) {
        throw new AppError("bad_input", `message ${params.at} is not part of session ${params.sessionId}`);
      }
      const now = ports.clock.now();
      const session: SessionInfo = {
        ...stored.session,
        id: ports.ids.next(),
        title: stored.session.title === "" ? "" : `${stored.session.title} (fork)`,
        status: "idle",
        head,
        usage: { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null },
        createdAt: now,
        updatedAt: now,
      };
      const origin = stored.state as unknown as EngineState;
      const state: EngineState = {
        ...initialState({ sessionId: session.id, model: session.model, mode: session.mode }),
        head: await closedHead(origin, head, ports),
        refusedImages: origin.refusedImages ?? [],
        // The checklist is that of the newest message.
        ...(params.at === undefined && origin.todos ? { todos: origin.todos } : {}),
        skillFolders: origin.skillFolders ?? [],
      };
      session.head = state.head;
      const lent = params.context ?? { environment: stored.environment, credentials: {} };
      const context = ports.lend(lent, stored.session.cwd);
      await hub.create(session, stored.options, context, {
        from: params.sessionId,
        prefixHash: stored.prefixHash,
        state,
      });
      return { session };
    },

    "session.list": async ({ cwd, search, limit, before }) => ({
      sessions: await store.listSessions({
        // Sessions are stored with the real path of their folder.
        cwd: cwd === undefined ? undefined : await realpath(cwd).catch(() => cwd),
        search,
        before,
        limit: Math.min(limit ?? LIST_DEFAULT, LIST_MAX),
      }),
    }),

    "session.facts": async ({ sessionId, afterSeq, beforeSeq, limit }) => {
      const count = Math.min(limit ?? FACTS_MAX, FACTS_MAX);
      const facts =
        beforeSeq === undefined
          ? await store.factsAfter(sessionId, afterSeq ?? 0, count)
          : await store.factsBefore(sessionId, beforeSeq, count);
      return { facts };
    },

    "session.audit": async ({ sessionId, limit }) => ({
      rows: await store.audit({ sessionId, limit: Math.min(limit ?? AUDIT_MAX, AUDIT_MAX) }),
    }),

    "session.delete": async ({ sessionId }) => {
      const loaded = hub.loaded().find((runtime) => runtime.actor.session.id === sessionId);
      if (loaded?.actor.busy) {
        throw new AppError("busy", `session ${sessionId} is working; interrupt it before deleting it`);
      }
      if (loaded && !(await hub.release(sessionId))) {
        throw new AppError("busy", `session ${sessionId} is open in another lathe; leave it there first`);
      }
      const transcripts = await transcriptsOf(sessionId, ports);
      const deleted = await store.deleteSession(sessionId);
      for (const path of transcripts) await effects.transcripts.remove(path);
      removeLedgerFile(ports.folders.ledgers, sessionId);
      if (deleted) await store.sweepBlobs();
      return { deleted };
    },

    "session.export": async ({ sessionId }) => {
      const stored = await store.loadSession(sessionId);
      if (!stored) throw notFound(sessionId);
      const messages = stored.session.head === null ? [] : await store.messageChain(stored.session.head);
      return {
        export: {
          format: "lathe-session/1",
          session: stored.session as unknown as Json,
          options: stored.options as unknown as Json,
          messages: messages as unknown as Json,
          fileChanges: (await store.fileChanges(sessionId)) as unknown as Json,
        } satisfies JsonObject,
      };
    },

    "blob.read": async ({ hash, offset, length }) => {
      const bytes = await store.getBlob(hash, {
        offset: offset ?? 0,
        length: Math.min(length ?? BLOB_PART, BLOB_PART),
      });
      if (!bytes) throw new AppError("not_found", `there is no stored blob ${hash}`);
      return { base64: Buffer.from(bytes).toString("base64"), size: bytes.length };
    },
  };
}

/** Files that the session's own compactions wrote. */
async function transcriptsOf(sessionId: string, { effects }: MethodPorts): Promise<string[]> {
  const paths: string[] = [];
  for (let after = 0; ; ) {
    const facts = await effects.store.factsAfter(sessionId, after, FACTS_MAX);
    const last = facts.at(-1);
    if (!last) return paths;
    for (const { fact } of facts) {
      const cut = fact.type === "message_added" ? fact.message.cut : undefined;
      if (cut?.type === "compacted" && cut.transcript !== null) paths.push(cut.transcript);
    }
    after = last.seq;
  }
}

const notFound = (id: string): AppError =>
  new AppError("not_found", `there is no session ${id}; \`lathe sessions list\` shows them`);

async function isOnChain(id: string, head: string | null, ports: MethodPorts): Promise<boolean> {
  if (head === null) return false;
  return (await ports.effects.store.messageChain(head)).some((message) => message.id === id);
}

/**
 * Where a fork of a working session may stand: a reply whose calls are not answered yet is left out, so that
 * the fork begins with a closed history.
 */
async function closedHead(
  state: EngineState,
  head: string | null,
  ports: MethodPorts,
): Promise<string | null> {
  if (head === null || head !== state.head || state.calls.length === 0) return head;
  const reply = (await ports.effects.store.messageChain(head)).at(-1);
  return reply?.kind === "reply" ? reply.parentId : head;
}
