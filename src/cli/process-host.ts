import { homedir, userInfo } from "node:os";
import { connect } from "../client/client.ts";
import { daemonEnvironment } from "../client/daemon-environment.ts";
import { lathePaths } from "../config/paths.ts";
import { uuidv7 } from "../shared/uuid.ts";
import type { CliHost } from "./host.ts";

/** The command as a person would type it again: a linked bin by its name, a file by its path. */
const commandOf = (entry: string): string => (entry.endsWith("/lathe") ? "lathe" : `node ${entry}`);

/** The host that is this process; the demo lends it another folder and environment. */
export function processHost(start: {
  version: string;
  args: readonly string[];
  entry: string;
  cwd?: string;
  environment?: Record<string, string | undefined>;
}): CliHost {
  const environment = start.environment ?? process.env;
  const paths = lathePaths({ environment, home: environment.HOME ?? homedir(), uid: userInfo().uid });
  const newId = (): string => uuidv7(Date.now());
  const clientId = newId();
  process.stdout.on("error", leaveOnClosedPipe);
  return {
    version: start.version,
    args: start.args,
    cwd: start.cwd ?? process.cwd(),
    environment,
    paths,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    newId,
    command: commandOf(start.entry),
    connect: (options) =>
      connect({
        socketPath: paths.socketPath,
        daemonFile: paths.daemonFile,
        client: { name: `lathe (pid ${process.pid})`, version: start.version, id: clientId },
        startDaemon:
          options?.start === false
            ? null
            : {
                command: process.execPath,
                args: [start.entry, "daemon", "run"],
                environment: daemonEnvironment(environment),
                outputFile: paths.daemonOutput,
              },
      }),
    onSignal(signal, callback) {
      process.on(signal, callback);
      return () => process.off(signal, callback);
    },
  };
}

/** The exit code of a program that a closed pipe ended. */
const SIGPIPE_EXIT = 141;

/** Who reads our output went away (`| head`): nothing more to do for it, and no reason for a stack trace. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(SIGPIPE_EXIT);
  throw error;
}
