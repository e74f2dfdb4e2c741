import type { Rule } from "../../protocol/permission.ts";
import type { DomainRequest } from "../../protocol/ports.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { Attempt } from "./attempt.ts";
import { auditRow } from "./audit.ts";
import { decideFor, standingOf } from "./decide-for.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { ask } from "./questions.ts";

/** How rules know a connection of a command. */
export const FETCH = { name: "fetch", effect: "network" } as const;

type Verdict = { allow: boolean; reason: string };

/**
 * A command wants a domain that no list of the policy decides. Rules, grants and mode decide as for a fetch;
 * what they leave open is asked about, but only when the call set `allow_network` and somebody is there. Every
 * decision is an audit row of the call.
 */
export async function decideDomain(
  request: DomainRequest,
  networkAsked: boolean,
  attempt: Attempt,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<Verdict> {
  const { domain, port } = request;
  const { effect } = attempt;
  const url = `${port === 80 ? "http" : "https"}://${domain.includes(":") ? `[${domain}]` : domain}:${port}/`;
  const decision = decideFor(FETCH, {}, [{ type: "fetch_url", url }], standingOf(runtime));
  const conclude = (verdict: Verdict): Verdict => {
    const about = { callId: effect.call.id, runId: effect.runId, tool: attempt.tool.name };
    const reason = `${domain}:${port}: ${verdict.reason}`;
    const verb = verdict.allow ? "allow" : "deny";
    const audit = auditRow(about, verb, { ...decision, reason }, runtime, ports);
    attempt.facts.push({ type: "decision_recorded", audit });
    return verdict;
  };
  if (decision.type !== "ask") {
    if (decision.type === "allow" && decision.layer === "mode")
      ports.log("warning", `bypass mode let a command reach ${domain}:${port}`);
    return conclude({ allow: decision.type === "allow", reason: decision.reason });
  }
  if (!networkAsked)
    return conclude({ allow: false, reason: "the call did not ask for network access (allow_network)" });
  if (!effect.interactive) {
    return conclude({
      allow: false,
      reason: `reaching ${domain} needs the user's approval, and nobody is there to ask`,
    });
  }
  return conclude(await askAboutDomain(request, attempt, runtime, ports));
}

/** An answer for the task or everywhere is a grant that the next decision finds. */
async function askAboutDomain(
  { domain, port }: DomainRequest,
  attempt: Attempt,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<Verdict> {
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
      title: `Let this command reach ${domain}:${port}?`,
      reason: "the command wants to use the network",
      parts: [`connect to ${domain}:${port}`],
      onceOnly: false,
      suggestions: [rule],
    },
    runtime,
    ports,
  );
  if (answer?.type !== "allow") return { allow: false, reason: `the user did not allow ${domain}` };
  return { allow: true, reason: `allowed by the user (${answer.scope})` };
}
