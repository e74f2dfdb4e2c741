import { homedir, userInfo } from "node:os";
import { connect } from "../client/connect.ts";
import { lathePaths } from "../config/paths.ts";
import { uuidv7 } from "../shared/uuid.ts";
import type { CliHost } from "./host.ts";

/** The host that is this process. */
export function processHost(start: { version: string; args: readonly string[]; entry: string }): CliHost {
  const paths = lathePaths({ environment: process.env, home: process.env.HOME ?? homedir(), uid: userInfo().uid });
  return {
    version: start.version,
    args: start.args,
    cwd: process.cwd(),
    environment: process.env,
    paths,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    newId: () => uuidv7(Date.now()),
    connect: (options) =>
      connect({
        socketPath: paths.socketPath,
        version: start.version,
        startDaemon: options?.start === false ? null : { entry: start.entry, environment: process.env },
      }),
    onSignal(signal, callback) {
      process.on(signal, callback);
      return () => process.off(signal, callback);
    },
  };
}
