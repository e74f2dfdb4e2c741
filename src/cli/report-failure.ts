import { EXIT } from "../protocol/outcome.ts";
import { AppError, errorMessage } from "../shared/error.ts";
import type { Invocation } from "./args.ts";
import { type CliHost, say } from "./host.ts";
import { printBroken } from "./output/json.ts";

const EXIT_CODES: Record<string, number> = {
  usage: EXIT.usage,
  bad_input: EXIT.badInput,
  invalid_params: EXIT.badInput,
  sandbox: EXIT.sandbox,
  config: EXIT.config,
  untrusted: EXIT.untrusted,
  no_model: EXIT.config,
  no_key: EXIT.authentication,
  interrupted: 130,
  terminated: 143,
};

/** What a run has got to, for the report of its failure. */
export type RunSoFar = { sessionId: string | null };

/** Carries out the work and gives its exit code; an error becomes one clear message and its own code. */
export async function reportFailure(
  invocation: Invocation,
  host: CliHost,
  work: (soFar: RunSoFar) => Promise<number>,
): Promise<number> {
  const soFar: RunSoFar = { sessionId: null };
  try {
    return await work(soFar);
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    const message = errorMessage(error);
    const exitCode = EXIT_CODES[code] ?? 1;
    if (invocation.type === "print" && invocation.flags.outputFormat !== "text") {
      printBroken(host, { message, code, exitCode, sessionId: soFar.sessionId });
    }
    say(host, `lathe: ${message}`);
    return exitCode;
  }
}
