import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Delta, Fact, NumberedFact } from "../../../protocol/event.ts";
import type { Methods } from "../../../protocol/rpc.ts";
import type { SessionInfo, SessionSnapshot } from "../../../protocol/session.ts";
import { delay } from "../../../shared/async.ts";
import { AppError } from "../../../shared/error.ts";
import type { Connection, Handlers } from "../handlers.ts";

/** Facts of one session in a file, so that they outlive the daemon that tests kill. */
export type ToySessions = Pick<
  Handlers,
  "session.create" | "session.open" | "session.prompt" | "session.facts" | "session.close" | "session.export"
>;

type Stored = NumberedFact & { command?: string };

const INFO: SessionInfo = {
  id: "s1",
  title: "toy",
  cwd: "/",
  roots: ["/"],
  model: "toy/toy",
  mode: "ask",
  status: "idle",
  head: null,
  parentSessionId: null,
  parentRunId: null,
  parentCallId: null,
  sandbox: "none",
  usage: { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null },
  messageCount: 0,
  createdAt: 0,
  updatedAt: 0,
};

/**
 * What a prompt's text does: `facts N SIZE` adds N facts of SIZE characters; `stream TEXT` sends TEXT letter by
 * letter as deltas and then as a fact; a text that ends with `?` ends the turn with an answer; `die` stores the fact and ends the process before the answer; all else
 * adds one fact with the text.
 */
export function toySessions(file: string, pageSize = 1000): ToySessions {
  const watching = new Map<string, Connection>();
  const facts: Stored[] = existsSync(file) ? readFacts(file) : [];
  let streaming: SessionSnapshot["streaming"] = null;

  const add = (text: string, command?: string): void => store(notice(text), command);
  const store = (content: Fact, command?: string): void => {
    const fact: NumberedFact = { seq: facts.length + 1, at: 0, fact: content };
    facts.push({ ...fact, command });
    appendFileSync(file, `${JSON.stringify({ ...fact, command })}\n`);
    for (const connection of watching.values())
      connection.notify("session.fact", { sessionId: "s1", ...fact });
  };
  const stream = async (text: string): Promise<void> => {
    streaming = { effectId: "e1", text: "", thinking: "", toolCalls: [] };
    for (const letter of text) {
      const delta: Delta = { type: "text", effectId: "e1", text: letter };
      streaming = { ...streaming, text: streaming.text + letter };
      for (const connection of watching.values())
        connection.notify("session.delta", { sessionId: "s1", delta });
      await delay(1);
    }
    streaming = null;
    add(text);
  };
  const carryOut = async (text: string, command: string): Promise<void> => {
    const [word, ...rest] = text.split(" ");
    if (word === "facts")
      for (let index = 0; index < Number(rest[0]); index++) add("x".repeat(Number(rest[1])));
    else if (word === "stream") await stream(rest.join(" "));
    else if (text.endsWith("?")) store(turnFinished(`You asked: ${text}`), command);
    else add(text, command);
    if (word === "die") process.kill(process.pid, "SIGKILL");
  };
  const after = (params: { sessionId: string; afterSeq?: number }): NumberedFact[] => {
    if (params.sessionId !== "s1") throw new AppError("not_found", `there is no session ${params.sessionId}`);
    return facts
      .slice(params.afterSeq ?? 0, (params.afterSeq ?? 0) + pageSize)
      .map(({ seq, at, fact }) => ({ seq, at, fact }));
  };

  return {
    "session.create": async () => ({ session: INFO, notices: [] }),
    "session.open": async (params, connection) => {
      watching.set(connection.id, connection);
      connection.onClose(() => watching.delete(connection.id));
      const page = after(params);
      await delay(5);
      return {
        snapshot: {
          session: INFO,
          seq: facts.length,
          phase: "idle",
          runId: null,
          calls: [],
          queue: [],
          approvals: [],
          streaming,
          tools: [],
          sandbox: { type: "off", reason: "flag" },
        },
        facts: page,
        hasEarlier: false,
      };
    },
    "session.close": async (_, connection) => {
      watching.delete(connection.id);
      return {};
    },
    "session.facts": async (params) => ({ facts: after(params) }),
    "session.prompt": async (params) => {
      const answer: Methods["session.prompt"]["result"] = {
        accepted: true,
        queued: false,
        seq: facts.length + 1,
        promptId: params.commandId,
      };
      if (facts.some(({ command }) => command === params.commandId)) return answer;
      const [part] = params.content;
      await carryOut(part?.type === "text" ? part.text : "", params.commandId);
      return answer;
    },
    "session.export": async () => ({ export: { text: "y".repeat(300_000) } }),
  };
}

function notice(text: string): Fact {
  return { type: "notice", level: "info", code: "toy", text };
}

function turnFinished(text: string): Fact {
  return {
    type: "turn_finished",
    runId: "r1",
    outcome: { type: "done" },
    text,
    steps: 1,
    toolCalls: 0,
    durationMs: 1,
    apiMs: 1,
    usage: INFO.usage,
    denials: [],
  };
}

function readFacts(file: string): Stored[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Stored);
}
