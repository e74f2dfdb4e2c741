import { statSync } from "node:fs";
import { homedir, hostname, release, userInfo } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { lathePaths, type LathePaths } from "../config/paths.ts";
import { createTrust } from "../config/trust.ts";
import { addUserRule } from "../config/user-rules.ts";
import { createModelPort } from "../model/stream.ts";
import { resolveModel } from "../model/resolve.ts";
import { createSandbox } from "../sandbox/create.ts";
import { AppError } from "../shared/error.ts";
import { createLog } from "../shared/log.ts";
import { uuidv7 } from "../shared/uuid.ts";
import { openStore } from "../store/open.ts";
import type { EffectPorts } from "./effects/effect-ports.ts";
import { electDaemon } from "./lifecycle/elect.ts";
import { createIdleExit } from "./lifecycle/idle-exit.ts";
import { installShutdown } from "./lifecycle/shutdown.ts";
import { createSettings } from "./load-settings.ts";
import { controlMethods } from "./server/methods/control-methods.ts";
import { libraryMethods } from "./server/methods/library-methods.ts";
import type { MethodPorts } from "./server/methods/method-ports.ts";
import { policyMethods } from "./server/methods/policy-methods.ts";
import { sessionMethods } from "./server/methods/session-methods.ts";
import { startServer } from "./server/start-server.ts";
import { createHub, type HubPorts } from "./sessions/hub.ts";
import { createPresence } from "./sessions/presence.ts";
import { createWatchers } from "./sessions/watchers.ts";

/** Puts the daemon together and serves until it is told to stop or idle for long enough. */
export async function runDaemon(start: { version: string; environment: NodeJS.ProcessEnv }): Promise<void> {
  const home = start.environment.HOME ?? homedir();
  const paths = lathePaths({ environment: start.environment, home, uid: userInfo().uid });
  void [paths, start, statSync, hostname, release, join, rgPath, createTrust, addUserRule, createModelPort, resolveModel];
}
