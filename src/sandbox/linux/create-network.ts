import { realpathSync } from "node:fs";
import type { Attachment, Network } from "../network.ts";
import { NOT_CONNECTED } from "../network.ts";
import { createPass, type PassOptions } from "../proxy/command-pass.ts";
import { gateEnvironment } from "../proxy/gate-environment.ts";
import { GATE, openSessionNetwork, type SessionNetwork } from "./session-network.ts";

export type NetworkOptions = PassOptions & {
  bwrap: string | null;
  nsenter: string | null;
  /** The Node binary that runs the helper for sockets. */
  node: string;
};

/** Connects commands whose policy has a gate; the network of a session is made with its first command. */
export function createNetwork(options: NetworkOptions): Network {
  const sessions = new Map<string, Promise<SessionNetwork>>();

  const sessionOf = async (sessionId: string): Promise<SessionNetwork> => {
    const known = await sessions.get(sessionId)?.catch(() => null);
    if (known?.alive()) return known;
    const { bwrap, nsenter, node } = options;
    if (bwrap === null || nsenter === null) throw new Error("nsenter (util-linux) is not installed");
    const waiting = sessions.get(sessionId);
    const opening = waiting && known === undefined ? waiting : openSessionNetwork({ bwrap, nsenter, node });
    sessions.set(sessionId, opening);
    return opening;
  };

  return {
    async attach(spec) {
      if (spec.policy.network.type !== "gate") return NOT_CONNECTED;
      const session = await sessionOf(spec.sessionId);
      const pass = createPass(spec, options);
      session.add(pass);
      return {
        enter: session.enter,
        env: gateEnvironment(pass.token, GATE),
        files: [{ path: resolverFile(), bytes: Buffer.from(`nameserver ${GATE.dns}\n`) }],
        started: (pid) => {
          pass.pid = pid;
        },
        detach: () => {
          session.remove(pass);
          return pass.end();
        },
      } satisfies Attachment;
    },
    async release(sessionId) {
      const session = sessions.get(sessionId);
      sessions.delete(sessionId);
      (await session?.catch(() => null))?.end();
    },
  };
}

/** Where programs inside read which resolver to ask; a link is followed, since a mount would lie on its target. */
function resolverFile(): string {
  try {
    return realpathSync("/etc/resolv.conf");
  } catch {
    return "/etc/resolv.conf";
  }
}
