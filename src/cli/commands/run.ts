import { exitCodeOf } from "../../protocol/outcome.ts";
import type { PromptPart } from "../../protocol/rpc.ts";
import type { Flags } from "../args.ts";
import { followRun, type Run } from "../follow-run.ts";
import { type CliHost, print, say } from "../host.ts";
import { jsonOutput } from "../output/json.ts";
import type { RunOutput } from "../output/run-output.ts";
import { textOutput } from "../output/text.ts";
import { readPrompt } from "../read-prompt.ts";
import type { RunSoFar } from "../report-failure.ts";
import { sessionOf } from "../session-of.ts";
import { inputPrompts } from "../stream-input.ts";

/** `lathe -p`: one or, with stream-json input, several prompts; resolves with the exit code. */
export async function runPrint(
  host: CliHost,
  flags: Flags,
  fromArgs: string,
  soFar: RunSoFar = { sessionId: null },
): Promise<number> {
  const streamed = flags.inputFormat === "stream-json";
  const prompt = streamed ? null : await readPrompt(host, fromArgs);
  const client = await host.connect();
  try {
    const { session, notices } = await sessionOf(client, host, flags);
    soFar.sessionId = session.id;
    for (const notice of notices) say(host, `lathe: ${notice}`);
    const run = await followRun(client, host, flags, session, outputOf(host, flags));
    try {
      return prompt === null ? await runMany(run, host) : await runOne(run, prompt, host, flags);
    } finally {
      run.close();
    }
  } finally {
    client.close();
  }
}

async function runOne(run: Run, prompt: string, host: CliHost, flags: Flags): Promise<number> {
  const content: PromptPart[] = [{ type: "text", text: prompt }];
  if (!flags.detach) return exitCodeOf((await run.turn(content)).outcome);
  await run.send(content);
  print(host, run.sessionId);
  return 0;
}

/** The exit code of the last prompt is that of the run; a prompt that cannot be read ends it. */
async function runMany(run: Run, host: CliHost): Promise<number> {
  let code = 0;
  for await (const content of inputPrompts(host)) code = exitCodeOf((await run.turn(content)).outcome);
  return code;
}

function outputOf(host: CliHost, flags: Flags): RunOutput {
  return flags.outputFormat === "text"
    ? textOutput(host, { verbose: flags.verbose })
    : jsonOutput(host, { stream: flags.outputFormat === "stream-json", partial: flags.includePartial });
}
