import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { SandboxDenial, SpawnSpec } from "../../protocol/ports.ts";
import { type Answers, decideConnection, type GateDecision, type GateVerdict } from "./decide.ts";
import type { HostResolver } from "./resolve.ts";

/** One command's right to use the gate: what it proves itself with, what it was told, what it has open. */
export type CommandPass = {
  token: string;
  /** The process that the command was started as, once it runs. */
  pid: number | null;
  decide(host: string, port: number): Promise<GateVerdict>;
  /** Sockets that are closed when the command ends. */
  hold(...sockets: Socket[]): void;
  /** Ends the pass. Gives the domains that were refused. */
  end(): SandboxDenial[];
};

export type PassOptions = {
  resolver: HostResolver;
  now(): number;
  onDecision?: (decision: GateDecision) => void;
};

export function createPass(spec: SpawnSpec, options: PassOptions): CommandPass {
  const answers: Answers = new Map();
  const refused = new Set<string>();
  const sockets = new Set<Socket>();
  let ended = false;
  return {
    token: randomBytes(16).toString("hex"),
    pid: null,
    async decide(raw, port) {
      const { network } = spec.policy;
      if (ended || network.type !== "gate") {
        return { allow: false, host: raw, denied: true, reason: "the command has no network" };
      }
      const { resolver } = options;
      const ask = spec.decideDomain;
      const verdict = await decideConnection(raw, port, {
        policy: network,
        resolver,
        command: spec.command,
        ask,
        answers,
      });
      if (!verdict.allow && verdict.denied) refused.add(verdict.host);
      const { host, allow, reason } = verdict;
      options.onDecision?.({
        at: options.now(),
        sessionId: spec.sessionId,
        command: spec.command,
        host,
        port,
        allow,
        reason,
      });
      return verdict;
    },
    hold(...list) {
      for (const socket of list) {
        if (ended) socket.destroy();
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
      }
    },
    end() {
      ended = true;
      for (const socket of sockets) socket.destroy();
      return [...refused].map((domain) => ({ type: "network", domain }));
    },
  };
}
