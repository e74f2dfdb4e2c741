import type { Rule } from "../../protocol/permission.ts";
import type { DomainRequest } from "../../protocol/ports.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import { ask } from "./approvals.ts";
import type { EffectPorts } from "./effect-ports.ts";
import type { Attempt } from "./tool-context.ts";

/**
 * A command wants a domain that no rule names. Headless: no. `bypass`: yes, and logged. Otherwise the user
 * is asked, once per domain and command; the answer for the task or everywhere is remembered by the gate's
 * allow list.
 */
export async function decideDomain(
  request: DomainRequest,
  attempt: Attempt,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<{ allow: boolean; reason: string }> {
  const { domain } = request;
  if (runtime.actor.state.mode === "read-only")
    return { allow: false, reason: "read-only mode has no network" };
  if (runtime.actor.state.mode === "bypass") {
    ports.log("warning", `bypass mode let a command reach ${domain}:${request.port}`);
    return { allow: true, reason: "bypass mode" };
  }
  if (!attempt.effect.interactive) {
    return {
      allow: false,
      reason: `reaching ${domain} needs the user's approval, and nobody is there to ask`,
    };
  }
  const rule: Rule = {
    effect: "allow",
    tool: "fetch",
    match: `domain:${domain}`,
    scope: "session",
    source: "approval",
  };
  const answer = await ask(
    attempt,
    {
      kind: "domain",
      title: `Let this command reach ${domain}:${request.port}?`,
      reason: "the command wants to use the network",
      parts: [`connect to ${domain}:${request.port}`],
      onceOnly: false,
      suggestions: [rule],
    },
    runtime,
    ports,
  );
  if (answer?.type !== "allow") return { allow: false, reason: `the user did not allow ${domain}` };
  const network = runtime.policy.network;
  if (answer.scope !== "once" && network.type === "gate") network.allow.push(domain);
  return { allow: true, reason: `allowed by the user (${answer.scope})` };
}
