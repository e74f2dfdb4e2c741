import type { Millis } from "../../protocol/ids.ts";
import { localDate } from "../local-time.ts";

/** What holds for a whole session. */
export type EnvironmentFacts = {
  startedAt: Millis;
  /** IANA name; the machine's own when absent or unknown. */
  timeZone?: string;
  platform: string;
  release: string;
  hostName: string;
  nodeVersion: string;
  cwd: string;
  roots: readonly string[];
};

/** Where and on what the session runs: dates only, since the time is told with each prompt. */
export function environmentSection(facts: EnvironmentFacts): string {
  const others = facts.roots.filter((root) => root !== facts.cwd);
  const lines = [
    "# Environment",
    `Session started: ${localDate(facts.startedAt, facts.timeZone)}`,
    `OS: ${facts.platform} ${facts.release}, host ${facts.hostName}`,
    `Node.js: ${facts.nodeVersion}`,
    `Working directory: ${facts.cwd}`,
  ];
  if (others.length > 0) lines.push(`Roots: ${facts.roots.join(", ")}`);
  return lines.map((line) => line.replace(/[\r\n]+/g, " ")).join("\n");
}
