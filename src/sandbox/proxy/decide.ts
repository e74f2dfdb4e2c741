import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { DomainRequest, SandboxPolicy } from "../../protocol/ports.ts";
import { errorMessage } from "../../shared/error.ts";
import { createAddressJudge } from "./addresses.ts";
import { canonicalHost } from "./canonical-host.ts";
import { domainMatches } from "./match-domain.ts";
import type { HostResolver } from "./resolve.ts";

export type GatePolicy = Extract<SandboxPolicy["network"], { type: "gate" }>;

/** What the gate says to one request. The addresses are the ones to dial: nothing is resolved twice. */
export type GateVerdict =
  | { allow: true; host: string; addresses: string[]; reason: string }
  /** `denied`: by rule or by the user; else the name is bad or unknown, an ordinary error. */
  | { allow: false; host: string; denied: boolean; reason: string };

/** One line of the gate's log. */
export type GateDecision = {
  at: number;
  sessionId: string;
  command: string;
  host: string;
  port: number;
  allow: boolean;
  reason: string;
};

export type Asker = (request: DomainRequest) => Promise<{ allow: boolean; reason: string }>;

/** Answers of the user for one command; each domain is asked once, also when many connections want it at once. */
export type Answers = Map<string, Promise<{ allow: boolean; reason: string }>>;

export type DecideOptions = {
  /** Read anew for each request: the lists may grow while a command runs. */
  policy: GatePolicy;
  resolver: HostResolver;
  command: string;
  ask: Asker | undefined;
  answers: Answers;
};

/**
 * Whether a command may connect to a host: the name is made canonical, then deny, allow and the user are asked,
 * in this order, and only then is it resolved and the address checked.
 */
export async function decideConnection(
  raw: string,
  port: number,
  options: DecideOptions,
): Promise<GateVerdict> {
  const host = canonicalHost(raw);
  if (host === null) {
    return { allow: false, host: printable(raw), denied: true, reason: "this is not a plain host name" };
  }
  const permission = await mayReach(host, port, options);
  if (!permission.allow) return { allow: false, host, denied: true, reason: permission.reason };
  return resolveChecked(host, permission.reason, options);
}

async function mayReach(
  host: string,
  port: number,
  options: DecideOptions,
): Promise<{ allow: boolean; reason: string }> {
  const { policy, ask, answers } = options;
  const denied = policy.deny.find((entry) => domainMatches(host, entry));
  if (denied !== undefined) return { allow: false, reason: `${denied} is on the list of denied domains` };
  // What is exempt for a resolver is so for what it answers, not for an address that a command names.
  if (
    isIP(host) !== 0 &&
    !judgeOf({ ...options, resolver: { ...options.resolver, exempt: [] } }).mayDial(host)
  ) {
    return { allow: false, reason: "addresses of this machine and of private networks must be listed" };
  }
  const allowed = policy.allow.find(
    (entry) => domainMatches(host, entry) && (entry !== "*" || isIP(host) === 0),
  );
  if (allowed !== undefined) return { allow: true, reason: `${allowed} is allowed` };
  if (isLocalName(host))
    return { allow: false, reason: "names of this machine are never reached through the gate" };
  if (ask === undefined) return { allow: false, reason: `${host} is not on the list of allowed domains` };
  const known = answers.get(host);
  if (known) return known;
  const answer = ask({ domain: host, port, command: options.command }).catch((error: unknown) => ({
    allow: false,
    reason: errorMessage(error),
  }));
  answers.set(host, answer);
  return answer;
}

const isLocalName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost");

async function resolveChecked(host: string, reason: string, options: DecideOptions): Promise<GateVerdict> {
  const pinned = Object.entries(options.policy.hosts).find(([name]) => canonicalHost(name) === host)?.[1];
  if (pinned !== undefined) return { allow: true, host, addresses: [pinned], reason };
  if (isIP(host) !== 0) return { allow: true, host, addresses: [host], reason };
  let addresses: string[];
  try {
    addresses = await options.resolver.resolve(host);
  } catch (error) {
    return { allow: false, host, denied: false, reason: `could not resolve ${host}: ${errorMessage(error)}` };
  }
  const judge = judgeOf(options);
  const dialled = addresses.filter((address) => judge.mayDial(address));
  if (dialled.length > 0) return { allow: true, host, addresses: dialled, reason };
  return {
    allow: false,
    host,
    denied: true,
    reason: `${host} leads to ${addresses[0] ?? "no address"}, an address of this machine or of a private network`,
  };
}

function judgeOf({ policy, resolver }: DecideOptions): { mayDial(address: string): boolean } {
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((one) => one.address));
  return createAddressJudge([...policy.privateAddresses, ...(resolver.exempt ?? [])], own);
}

const printable = (raw: string): string => JSON.stringify(raw.slice(0, 100)).slice(1, -1);
