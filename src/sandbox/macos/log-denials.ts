import type { SandboxDenial } from "../../protocol/ports.ts";

/**
 * Denials in the system log (`log show --style ndjson`) that carry the tag of one command. Other lines, and lines
 * that are no JSON, are passed over.
 */
export function logDenials(log: string, tag: string): SandboxDenial[] {
  const found = new Map<string, SandboxDenial>();
  for (const line of log.split("\n")) {
    const message = messageOf(line);
    if (message === null || !message.includes(tag)) continue;
    const match = /deny\(\d+\) ([\w*-]+)(?: ([^\n]*))?/.exec(message);
    const denial = match ? denialOf(match[1] ?? "", (match[2] ?? "").replace(tag, "").trim()) : null;
    if (denial !== null) found.set(JSON.stringify(denial), denial);
  }
  return [...found.values()];
}

function messageOf(line: string): string | null {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== "object" || entry === null || !("eventMessage" in entry)) return null;
    return typeof entry.eventMessage === "string" ? entry.eventMessage : null;
  } catch {
    return null;
  }
}

function denialOf(operation: string, target: string): SandboxDenial | null {
  if (operation.startsWith("file-write"))
    return target ? { type: "path", path: target, operation: "write" } : null;
  if (operation.startsWith("file-read"))
    return target ? { type: "path", path: target, operation: "read" } : null;
  if (operation.startsWith("network")) return { type: "network", domain: target || "the network" };
  return null;
}
