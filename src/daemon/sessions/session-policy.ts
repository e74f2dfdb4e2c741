import { expandGroups } from "../../protocol/domain-groups.ts";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import type { Place } from "../../protocol/tool.ts";
import { buildPolicy } from "../../sandbox/policy.ts";
import type { SessionRuntime, SessionSettings } from "./session-runtime.ts";

/** The walls of a session, from its row, its folders and the settings as they are now. */
export function sessionPolicy(
  session: Pick<SessionInfo, "mode" | "roots">,
  place: Place,
  settings: SessionSettings,
  privateDirs: readonly string[],
  /** Of loaded skills: their files can be read. */
  skillFolders: readonly string[] = [],
): SandboxPolicy {
  const { sandbox, permissions } = settings.config;
  return buildPolicy({
    mode: policyMode(session.mode),
    writableRoots: session.roots,
    readableRoots: [...permissions.additionalDirectories, ...skillFolders],
    home: place.home,
    tmpDir: place.tmp,
    privateDirs,
    allowRead: sandbox.allowRead,
    denyRead: sandbox.denyRead,
    network: withDomains(sandbox.network),
    allowSockets: sandbox.allowSockets,
    limits: sandbox.limits,
  });
}

/** The gate matches domains; names of groups stand for theirs. */
function withDomains(network: SandboxPolicy["network"]): SandboxPolicy["network"] {
  if (network.type !== "gate") return network;
  return { ...network, allow: expandGroups(network.allow), deny: expandGroups(network.deny) };
}

export const policyMode = (mode: SessionInfo["mode"]): SandboxPolicy["mode"] =>
  mode === "read-only" ? "read-only" : "workspace-write";

/** Changed settings count at once, also for what runs: everybody holds the same policy object. */
export function takeSettings(
  runtime: SessionRuntime,
  settings: SessionSettings,
  privateDirs: readonly string[],
): void {
  runtime.settings = settings;
  const session = { mode: runtime.actor.state.mode, roots: runtime.actor.session.roots };
  const { skillFolders } = runtime.actor.state;
  Object.assign(runtime.policy, sessionPolicy(session, runtime.place, settings, privateDirs, skillFolders));
  // A rule that was added "everywhere" is among the settings now, and goes when the user removes it there.
  runtime.grants = runtime.grants.filter((grant) => grant.scope === "task");
}
