import { AppError } from "../shared/error.ts";
import type { Invocation } from "./args.ts";
import { configCommand } from "./commands/config.ts";
import { daemonCommand } from "./commands/daemon.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { modelsCommand } from "./commands/models.ts";
import { permissionsCommand } from "./commands/permissions.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { tasksCommand } from "./commands/tasks.ts";
import { trustCommand } from "./commands/trust.ts";
import { helpText } from "./help.ts";
import { type CliHost, print } from "./host.ts";
import { reportFailure } from "./report-failure.ts";

const COMMANDS: Record<string, (host: CliHost, args: string[]) => Promise<number>> = {
  config: configCommand,
  daemon: daemonCommand,
  doctor: doctorCommand,
  models: modelsCommand,
  permissions: permissionsCommand,
  sandbox: sandboxCommand,
  sessions: sessionsCommand,
  tasks: tasksCommand,
  trust: trustCommand,
};

/**
 * Carries out a subcommand, help or a usage error and gives the exit code. Prompts go to `runPrompt`; the demo is
 * handed in, because the command line does not import it.
 */
export function runCli(
  invocation: Exclude<Invocation, { type: "print" | "interactive" }>,
  host: CliHost,
  runDemo: (args: string[]) => Promise<number>,
): Promise<number> {
  return reportFailure(invocation, host, async () => {
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
        if (invocation.name === "demo") return await runDemo(invocation.args);
        const command = COMMANDS[invocation.name];
        if (!command) throw new AppError("usage", `there is no command "${invocation.name}"`);
        return await command(host, invocation.args);
      }
    }
  });
}
