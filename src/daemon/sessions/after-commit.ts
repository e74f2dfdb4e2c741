import type { NumberedFact } from "../../protocol/event.ts";
import type { Grant } from "../../protocol/permission.ts";
import { createReadLedger } from "../../sandbox/files/ledger.ts";
import { errorMessage } from "../../shared/error.ts";
import { callDone } from "../effects/write-order.ts";
import type { HubPorts } from "./hub-ports.ts";
import { writeLedgerFile } from "./ledger-file.ts";
import { policyMode } from "./session-policy.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** After the commit: memory that follows the facts, then the watchers. */
export function afterCommit(runtime: SessionRuntime, facts: NumberedFact[], ports: HubPorts): void {
  for (const numbered of facts) followFact(runtime, numbered, ports);
  ports.watchers.facts(runtime.actor.session.id, facts);
  if (facts.some(({ fact }) => fact.type === "turn_started" || fact.type === "turn_finished"))
    ports.activity();
}

function followFact(runtime: SessionRuntime, { fact }: NumberedFact, ports: HubPorts): void {
  switch (fact.type) {
    case "call_changed":
      if (fact.call.status === "done") callDone(runtime, fact.call.id);
      return;
    case "message_added":
      // A compaction drops what older prompts told, and tells the mode anew.
      if (fact.message.cut?.type === "compacted") runtime.toldMode = runtime.actor.state.mode;
      return;
    case "grant_added":
      return addGrant(runtime, fact.grant, ports);
    case "session_changed":
      if (fact.mode) runtime.policy.mode = policyMode(fact.mode);
      return;
    case "skill_loaded":
      return openFolder(runtime, fact.folder);
    case "session_cleared":
      return forget(runtime);
    case "turn_started":
      return watchBound(runtime, ports);
    case "turn_finished":
      runtime.unbind();
      return keepLedger(runtime, ports);
    default:
      return;
  }
}

/** A cleared session knows nothing of before: what was read must be read again, what was told is told again. */
function forget(runtime: SessionRuntime): void {
  runtime.history = [];
  runtime.prefix = null;
  runtime.prefixHash = null;
  runtime.toldMode = null;
  runtime.skills = null;
  runtime.seen = createReadLedger();
}

/** Everybody holds the same policy object, so a loaded skill's files can be read from the next call on. */
function openFolder({ policy }: SessionRuntime, folder: string): void {
  if (!policy.readableRoots.includes(folder)) policy.readableRoots.push(folder);
}

/** A lasting grant holds here at once; other sessions find it among the settings at their next prompt. */
function addGrant(runtime: SessionRuntime, grant: Grant, ports: HubPorts): void {
  runtime.grants.push(grant);
  if (grant.scope === "task") return;
  ports.effects.saveRule(grant, runtime.place.cwd).catch((error: unknown) => {
    runtime.actor.post({
      type: "noticed",
      level: "warning",
      code: "rule_not_saved",
      text: `The rule was not saved, so it holds until your next prompt only: ${errorMessage(error)}`,
    });
  });
}

/** What the session has read, for the daemon that comes after this one. */
export function keepLedger(runtime: SessionRuntime, ports: HubPorts): void {
  const { id } = runtime.actor.session;
  try {
    writeLedgerFile(ports.folders.ledgers, id, runtime.seen);
  } catch (error) {
    ports.effects.log("warning", `what session ${id} has read is not kept: ${errorMessage(error)}`);
  }
}

/** The turn of a client that must stay: interrupted when it is gone for longer than the grace. */
export function watchBound(runtime: SessionRuntime, ports: HubPorts): void {
  const turn = runtime.actor.state.turn;
  const clientId = turn?.settings.boundTo;
  if (!turn || !clientId) return;
  runtime.unbind();
  runtime.unbind = ports.presence.whenGone(clientId, () => {
    if (runtime.actor.state.turn?.runId === turn.runId) {
      runtime.actor.post({ type: "interrupt", commandId: null, by: "client_gone" });
    }
  });
}
