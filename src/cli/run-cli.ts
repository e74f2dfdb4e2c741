import { EXIT } from "../protocol/outcome.ts";
import { AppError, errorMessage } from "../shared/error.ts";
import type { Invocation } from "./args.ts";
import { configCommand } from "./commands/config.ts";
import { daemonCommand } from "./commands/daemon.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { modelsCommand } from "./commands/models.ts";
import { permissionsCommand } from "./commands/permissions.ts";
import { runPrint } from "./commands/run.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { trustCommand } from "./commands/trust.ts";
import { helpText } from "./help.ts";
import { type CliHost, print, say } from "./host.ts";
import { jsonOutput } from "./output/json.ts";

const COMMANDS: Record<string, (host: CliHost, args: string[]) => Promise<number>> = {
  config: configCommand,
  daemon: daemonCommand,
  doctor: doctorCommand,
  models: modelsCommand,
  permissions: permissionsCommand,
  sandbox: sandboxCommand,
  sessions: sessionsCommand,
  trust: trustCommand,
};

/** Carries out what the command line asks for and gives the exit code; errors become one clear message. */
export async function runCli(invocation: Invocation, host: CliHost): Promise<number> {
  try {
    switch (invocation.type) {
      case "help":
        print(host, helpText(invocation.topic));
        return 0;
      case "version":
        print(host, host.version);
        return 0;
      case "usage_error":
        throw new AppError("usage", `${invocation.message}\nlathe --help lists the flags`);
      case "subcommand": {
        if (invocation.args.includes("--help") || invocation.args.includes("-h")) {
          print(host, helpText(invocation.name));
          return 0;
        }
        const command = COMMANDS[invocation.name];
        if (!command) throw new AppError("usage", `there is no command "${invocation.name}"`);
        return await command(host, invocation.args);
      }
      case "interactive":
      case "print":
        return await runPrint(host, invocation.flags, invocation.prompt);
    }
  } catch (error) {
    return failed(error, invocation, host);
  }
}

function failed(error: unknown, invocation: Invocation, host: CliHost): number {
  const code = error instanceof AppError ? error.code : "internal";
  const message = errorMessage(error);
  if (invocation.type === "print" && invocation.flags.outputFormat !== "text") {
    jsonOutput(host, { stream: true, partial: false }).broken(message, code);
  }
  say(host, `lathe: ${message}`);
  return EXIT_CODES[code] ?? 1;
}

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
