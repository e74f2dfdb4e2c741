import type { Client } from "../client/client.ts";
import { type Following, followSession } from "../client/follow-session.ts";
import { sendCommand } from "../client/send.ts";
import type { ApprovalAnswer, PermissionMode } from "../protocol/permission.ts";
import type { Methods } from "../protocol/rpc.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { TuiHost, TuiStart } from "./tui-host.ts";
import type { ViewEvent } from "./view-state/view.ts";

/** The screen's line to one session at a time. */
export type SessionLink = {
  readonly client: Client;
  readonly sessionId: string;
  prompt(text: string, delivery: "steer" | "queue"): Promise<void>;
  interrupt(): Promise<void>;
  answer(approvalId: string, answer: ApprovalAnswer): Promise<void>;
  update(changes: { model?: string; mode?: PermissionMode; title?: string }): Promise<void>;
  clear(): Promise<void>;
  /** Asks for a shorter conversation; how it ends is told by facts. */
  compact(focus: string): Promise<void>;
  context(): Promise<Methods["session.context"]["result"]>;
  /** Takes a waiting prompt back; null when it was delivered meanwhile. */
  unqueue(promptId: string): Promise<string | null>;
  sessions(search: string): Promise<SessionInfo[]>;
  /** Shows another session from now on. */
  follow(session: SessionInfo, resumed: boolean): Promise<void>;
  /** Ends with the error that made going on impossible. */
  readonly failed: Promise<Error>;
  close(): void;
};

/** Facts shown of a session that is opened; earlier ones are in `lathe sessions show`. */
const HISTORY = 300;
const SESSIONS = 100;

export async function openSessionLink(
  host: TuiHost,
  start: TuiStart,
  onEvent: (event: ViewEvent) => void,
): Promise<SessionLink> {
  const client = await host.connect();
  let following: Following | null = null;
  let sessionId = "";
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const command = () => ({ sessionId, commandId: host.newId() });
  const link: SessionLink = {
    client,
    failed,
    get sessionId() {
      return sessionId;
    },
    async prompt(text, delivery) {
      await sendCommand(client, "session.prompt", {
        ...command(),
        content: [{ type: "text", text }],
        delivery,
        interactive: true,
        boundToClient: false,
        limits: start.limits,
      });
    },
    async interrupt() {
      await sendCommand(client, "session.interrupt", { ...command(), by: "user" });
    },
    async answer(approvalId, answer) {
      await sendCommand(client, "session.answer", { ...command(), approvalId, answer });
    },
    async update(changes) {
      await sendCommand(client, "session.update", { ...command(), ...changes });
    },
    async clear() {
      await sendCommand(client, "session.clear", command());
    },
    async compact(focus) {
      await sendCommand(client, "session.compact", { ...command(), ...(focus === "" ? {} : { focus }) });
    },
    context: () => client.call("session.context", { sessionId }),
    async unqueue(promptId) {
      const { removed, text } = await sendCommand(client, "session.unqueue", { ...command(), promptId });
      return removed ? text : null;
    },
    async sessions(search) {
      const query = search === "" ? { cwd: host.cwd } : { search };
      return (await client.call("session.list", { ...query, limit: SESSIONS })).sessions;
    },
    async follow(session, resumed) {
      following?.stop();
      sessionId = session.id;
      const own = await followSession(client, session.id, {
        context: host.context,
        history: HISTORY,
        onFact: (fact) => onEvent({ type: "fact", fact }),
        onDelta: (delta) => onEvent({ type: "delta", delta }),
        onSnapshot: (snapshot, { hasEarlier }) =>
          onEvent({ type: "snapshot", snapshot, hasEarlier, resumed }),
        onLost: (reason) => onEvent({ type: "lost", reason }),
        onReconnect: () => onEvent({ type: "reconnected" }),
      });
      following = own;
      own.ended.then((error) => error && following === own && fail(error), fail);
    },
    close() {
      following?.stop();
      client.close();
    },
  };
  return link;
}
