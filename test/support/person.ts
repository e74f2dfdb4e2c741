import { randomUUID } from "node:crypto";
import type { NumberedFact } from "../../src/protocol/event.ts";
import type { Approval, ApprovalAnswer, PermissionMode } from "../../src/protocol/permission.ts";
import type { Methods } from "../../src/protocol/rpc.ts";
import type { Lab } from "./lab.ts";
import { openWire, type Wire } from "./rpc-lines.ts";

/** What happened in one prompt: what was asked and how each call ended. */
export type Told = {
  sessionId: string;
  asked: Approval[];
  /** Status and text of the result of each call, in order. */
  results: { status: string; text: string }[];
  finished: boolean;
};

/** Somebody at a client of the protocol, who is asked and answers. */
export type Person = {
  wire: Wire;
  /** One prompt, to its end. `sessionId` continues a session; else a new one begins. */
  prompt(options: {
    mode?: PermissionMode;
    sessionId?: string;
    answer(approval: Approval, index: number): ApprovalAnswer;
  }): Promise<Told>;
};

/** Starts the lab's daemon and connects to it. End it with `wire.end()`. */
export async function openPerson(lab: Lab): Promise<Person> {
  const started = await lab.run(["sessions", "list"]);
  if (started.code !== 0) throw new Error(`the daemon did not start: ${started.stdout}${started.stderr}`);
  const wire = await openWire(lab);
  const facts = async (sessionId: string, afterSeq: number): Promise<NumberedFact[]> =>
    (await wire.call<Methods["session.facts"]["result"]>("session.facts", { sessionId, afterSeq })).facts;
  const { ANTHROPIC_API_KEY, ...environment } = lab.environment;
  const context = {
    environment,
    credentials: { ANTHROPIC_API_KEY: ANTHROPIC_API_KEY ?? "none" },
  };
  return {
    wire,
    async prompt({ mode, sessionId: known, answer }) {
      const sessionId =
        known ??
        (
          await wire.call<Methods["session.create"]["result"]>("session.create", {
            cwd: lab.work,
            mode,
            options: { sandbox: "on" },
            context,
          })
        ).session.id;
      const opened = await wire.call<Methods["session.open"]["result"]>("session.open", {
        sessionId,
        deltas: false,
        context,
      });
      let seq = opened.snapshot.seq;
      await wire.call("session.prompt", {
        sessionId,
        commandId: randomUUID(),
        content: [{ type: "text", text: "go" }],
        interactive: true,
        boundToClient: false,
      });
      const told: Told = { sessionId, asked: [], results: [], finished: false };
      const end = performance.now() + 60_000;
      while (!told.finished) {
        if (performance.now() > end) throw new Error("the turn did not end");
        for (const numbered of await facts(sessionId, seq)) {
          seq = numbered.seq;
          const { fact } = numbered;
          if (fact.type === "approval_requested") {
            const given = answer(fact.approval, told.asked.length);
            told.asked.push(fact.approval);
            await wire.call("session.answer", {
              sessionId,
              commandId: randomUUID(),
              approvalId: fact.approval.id,
              answer: given,
            });
          }
          if (fact.type === "message_added") {
            for (const block of fact.message.content) {
              if (block.type !== "tool_result") continue;
              const text = block.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
              told.results.push({ status: block.status, text: text.join("\n") });
            }
          }
          if (fact.type === "turn_finished") told.finished = true;
        }
        if (!told.finished) await new Promise((done) => setTimeout(done, 30));
      }
      return told;
    },
  };
}
