import type { Invocation } from "./args.ts";
import { runPrint } from "./commands/run.ts";
import type { CliHost } from "./host.ts";
import { reportFailure } from "./report-failure.ts";

/** `lathe -p` alone, apart from the subcommands: what it loads, every headless start pays for. */
export function runPrompt(
  invocation: Extract<Invocation, { type: "print" }>,
  host: CliHost,
): Promise<number> {
  return reportFailure(invocation, host, (soFar) =>
    runPrint(host, invocation.flags, invocation.prompt, soFar),
  );
}
