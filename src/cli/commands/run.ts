import type { Client } from "../../client/client.ts";
import { followSession } from "../../client/follow-session.ts";
import { sendCommand } from "../../client/send.ts";
import { exitCodeOf } from "../../protocol/outcome.ts";
import type { PromptPart } from "../../protocol/rpc.ts";
import type { SessionInfo, SessionSnapshot } from "../../protocol/session.ts";
import { deferred } from "../../shared/async.ts";
import { AppError } from "../../shared/error.ts";
import type { Flags } from "../args.ts";
import { type CliHost, print, say } from "../host.ts";
import { jsonOutput } from "../output/json.ts";
import type { RunOutput, TurnFinished } from "../output/run-output.ts";
import { textOutput } from "../output/text.ts";
import { readPrompt } from "../read-prompt.ts";
import { applyFlags, clientContext, limitsOf, sessionOf } from "../session-of.ts";
import { inputPrompts } from "../stream-input.ts";

/** How long an interrupted turn may take to close before the client leaves anyway. */
const INTERRUPT_WAIT_MS = 5000;

/** `lathe -p`: one or, with stream-json input, several prompts; resolves with the exit code. */
export async function runPrint(host: CliHost, flags: Flags, fromArgs: string): Promise<number> {
  const output = outputOf(host, flags);
  const streamed = flags.inputFormat === "stream-json";
  const prompt = streamed ? "" : await readPrompt(host, fromArgs);
  const client = await host.connect();
  try {
    const { session: found, notices } = await sessionOf(client, host, flags);
    for (const notice of notices) say(host, `lathe: ${notice}`);
    const run = await openRun(client, host, flags, found, output);
    if (flags.detach) {
      await run.send([{ type: "text", text: prompt }]);
      print(host, found.id);
      return 0;
    }
    let code = 0;
    if (streamed) {
      for await (const content of inputPrompts(host)) code = exitCodeOf((await run.turn(content)).outcome);
    } else code = exitCodeOf((await run.turn([{ type: "text", text: prompt }])).outcome);
    run.close();
    return code;
  } finally {
    client.close();
  }
}

function outputOf(host: CliHost, flags: Flags): RunOutput {
  return flags.outputFormat === "text"
    ? textOutput(host, { verbose: flags.verbose })
    : jsonOutput(host, { stream: flags.outputFormat === "stream-json", partial: flags.includePartial });
}

type Run = {
  send(content: PromptPart[]): Promise<void>;
  turn(content: PromptPart[]): Promise<TurnFinished>;
  close(): void;
};

/** Follows the session and turns its facts into output; signals interrupt the turn and wait for its end. */
async function openRun(
  client: Client,
  host: CliHost,
  flags: Flags,
  found: SessionInfo,
  output: RunOutput,
): Promise<Run> {
  let waiting = deferred<TurnFinished>();
  let ours = false;
  let opened: SessionSnapshot | null = null;
  const offHalted = client.on("session.halted", ({ sessionId, code, message }) => {
    if (sessionId === found.id) waiting.reject(new AppError(code, message));
  });
  const following = await followSession(client, found.id, {
    context: clientContext(host),
    history: 0,
    onSnapshot: (snapshot) => {
      opened ??= snapshot;
    },
    onFact(numbered) {
      if (!ours) return;
      output.fact(numbered);
      if (numbered.fact.type !== "turn_finished") return;
      output.finish(numbered.fact, exitCodeOf(numbered.fact.outcome));
      waiting.resolve(numbered.fact);
    },
    onDelta: (delta) => ours && output.delta(delta),
  });
  following.ended.then((error) => error && waiting.reject(error));
  const first = opened as SessionSnapshot | null;
  if (!first) throw new AppError("internal", "the daemon gave no snapshot", { audience: "developer" });
  const session = await applyFlags(client, host, flags, first.session);
  output.begin({ session, tools: first.tools, sandbox: first.sandbox, version: host.version });
  const stopSignals = interruptOnSignals(client, host, session.id, () =>
    waiting.reject(new AppError("interrupted", "interrupted")),
  );

  const send = async (content: PromptPart[]): Promise<void> => {
    ours = true;
    await sendCommand(client, "session.prompt", {
      sessionId: session.id,
      commandId: host.newId(),
      content,
      delivery: "queue",
      interactive: false,
      boundToClient: !flags.detach,
      limits: limitsOf(flags),
    });
  };
  return {
    send,
    async turn(content) {
      waiting = deferred<TurnFinished>();
      waiting.promise.catch(() => undefined);
      await send(content);
      return await waiting.promise;
    },
    close() {
      stopSignals();
      offHalted();
      following.stop();
    },
  };
}

function interruptOnSignals(
  client: Client,
  host: CliHost,
  sessionId: string,
  giveUp: () => void,
): () => void {
  let asked = false;
  const interrupt = (by: "user" | "terminated") => (): void => {
    if (asked) return giveUp();
    asked = true;
    client.call("session.interrupt", { sessionId, commandId: host.newId(), by }).catch(giveUp);
    setTimeout(giveUp, INTERRUPT_WAIT_MS).unref();
  };
  const offs = [
    host.onSignal("SIGINT", interrupt("user")),
    host.onSignal("SIGTERM", interrupt("terminated")),
    host.onSignal("SIGHUP", interrupt("terminated")),
  ];
  return () => {
    for (const off of offs) off();
  };
}
