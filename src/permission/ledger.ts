import type { Millis } from "../protocol/ids.ts";
import { type Binding, bindingText, sameSecret } from "./token.ts";

export type LedgerPorts = {
  now(): Millis;
  /** At least 128 random bits as text. */
  random(): string;
  /** A hash of the binding; absent = the text itself. */
  hash?(text: string): string;
  /** How long an approval may wait to be used. Default 10 minutes. */
  lifetimeMs?: number;
};

export type ApprovalLedger = {
  /** Opens a question about exactly this call and gives its id. */
  request(binding: Binding): string;
  /** Answers yes; gives the token, once. Null when the question is unknown or answered already. */
  approve(id: string): string | null;
  deny(id: string): void;
  /** True exactly once: for the approved call, with its token, before it expires. */
  spend(id: string, token: string | undefined, binding: Binding): boolean;
};

type Entry = { bound: string } & (
  | { status: "open" }
  | { status: "approved"; token: string; expires: Millis }
  | { status: "closed" }
);

const LIFETIME_MS = 10 * 60_000;

/**
 * The rules of approvals in one place: single use, bound to the call, expiring, a wrong token never spends a
 * right one. Holds what it is told in memory; nothing is asked, shown or stored here.
 */
export function createApprovalLedger(ports: LedgerPorts): ApprovalLedger {
  const hash = ports.hash ?? ((text: string) => text);
  const entries = new Map<string, Entry>();
  return {
    request(binding) {
      const id = ports.random();
      entries.set(id, { status: "open", bound: hash(bindingText(binding)) });
      return id;
    },
    approve(id) {
      const entry = entries.get(id);
      if (entry?.status !== "open") return null;
      const token = ports.random();
      const expires = ports.now() + (ports.lifetimeMs ?? LIFETIME_MS);
      entries.set(id, { status: "approved", token, expires, bound: entry.bound });
      return token;
    },
    deny(id) {
      const entry = entries.get(id);
      if (entry) entries.set(id, { status: "closed", bound: entry.bound });
    },
    spend(id, token, binding) {
      const entry = entries.get(id);
      if (entry?.status !== "approved" || token === undefined) return false;
      if (!sameSecret(entry.token, token)) return false;
      if (ports.now() >= entry.expires || !sameSecret(entry.bound, hash(bindingText(binding)))) return false;
      entries.set(id, { status: "closed", bound: entry.bound });
      return true;
    },
  };
}
