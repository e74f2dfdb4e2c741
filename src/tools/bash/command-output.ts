import { constants } from "node:os";
import type { BoundedText, CommandResult, SandboxDenial } from "../../protocol/ports.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import { stripControls } from "../../shared/text.ts";
import { cutMiddle, errorOutput, textOutput } from "../support/output.ts";

type Bounds = { limit: number; timeoutMs: number; maxTimeoutMs: number; network: boolean };

/**
 * The result of a command as text: stdout, a stderr section, how it ended, and what the sandbox denied.
 * A command that failed, was killed or ran out of time is an error.
 */
export function commandOutput(command: string, result: CommandResult, bounds: Bounds): ToolOutput {
  const ending = endingLines(result, bounds);
  const stdout = plainText(result.stdout.text);
  const stderr = plainText(result.stderr.text);
  const room = Math.max(1000, bounds.limit - ending.join("\n").length - 200);
  const half = Math.floor(room / 2);
  const outRoom = Math.max(half, room - stderr.length);
  const out = cutMiddle(stdout, outRoom);
  const err = cutMiddle(stderr, Math.max(half, room - stdout.length));
  const notes = [
    ...cutNote("stdout", result.stdout, out.cut),
    ...cutNote("stderr", result.stderr, err.cut),
    ...ending,
  ];
  const text = join(out.text, err.text, notes);
  const failed = result.exitCode !== 0 || result.timedOut || result.interrupted;
  const output = failed ? errorOutput(text) : textOutput(text);
  const { exitCode, signal, durationMs, sandbox } = result;
  return {
    ...output,
    display: { type: "command", command, exitCode, signal, durationMs, sandbox },
    ...(out.cut + err.cut > 0 ? { fullText: join(stdout, stderr, ending) } : {}),
  };
}

/** Text without colours and control characters; of a line that was drawn again and again, its last state. */
function plainText(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  return stripControls(lines.map((line) => line.slice(line.trimEnd().lastIndexOf("\r") + 1)).join("\n"));
}

function join(stdout: string, stderr: string, notes: string[]): string {
  const parts = [
    ...(stdout === "" ? [] : [withoutLastEnd(stdout)]),
    ...(stderr === "" ? [] : [`--- stderr ---\n${withoutLastEnd(stderr)}`]),
  ];
  if (parts.length === 0) parts.push("(no output)");
  return [...parts, ...notes].join("\n");
}

const withoutLastEnd = (text: string): string => (text.endsWith("\n") ? text.slice(0, -1) : text);

function cutNote(name: string, stream: BoundedText, cut: number): string[] {
  if (!stream.cut && cut === 0) return [];
  return [`[${name} was cut: ${stream.totalBytes} bytes in all, beginning and end are shown]`];
}

function endingLines(result: CommandResult, bounds: Bounds): string[] {
  const lines: string[] = [];
  if (result.timedOut) {
    const more = bounds.timeoutMs < bounds.maxTimeoutMs;
    const hint = more ? `; timeout_sec can be up to ${seconds(bounds.maxTimeoutMs)}` : "";
    lines.push(`[timed out: the command was ended after ${seconds(bounds.timeoutMs)} s${hint}]`);
  } else if (result.interrupted) {
    lines.push("[interrupted by the user]");
  } else if (result.signal !== null) {
    lines.push(`[killed by ${result.signal} (${128 + signalNumber(result.signal)})]`);
  } else if (result.exitCode !== 0) {
    lines.push(`[exit code: ${result.exitCode ?? "unknown"}]${ofSignal(result.exitCode)}`);
  }
  return [
    ...lines,
    ...denialsToTell(result)
      .slice(0, 10)
      .map((denial) => denialLine(denial, bounds)),
    ...unreachableLine(result),
  ];
}

/** A command that succeeded did without the network it was refused, as update checks do. */
function denialsToTell({ exitCode, denials }: CommandResult): SandboxDenial[] {
  return exitCode === 0 ? denials.filter((denial) => denial.type !== "network") : denials;
}

const UNREACHABLE = /network is unreachable|ENETUNREACH/i;

/** An address that was dialled without a name never gets to the gate: only the program's own words tell of it. */
function unreachableLine(result: CommandResult): string[] {
  const failed = result.exitCode !== 0 && result.sandbox !== "none";
  const told = result.denials.some((denial) => denial.type === "network");
  if (!failed || told || !UNREACHABLE.test(result.stderr.text + result.stdout.text)) return [];
  return [
    "[sandbox] network access denied: commands reach no address directly. Use a domain name, by HTTP or SOCKS, so that the user can be asked for it.",
  ];
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

function signalNumber(name: string): number {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}

/** A shell reports a child that died of signal N as 128 + N. */
function ofSignal(exitCode: number | null): string {
  if (exitCode === null || exitCode <= 128) return "";
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return name ? ` (128 + ${exitCode - 128}: killed by ${name})` : "";
}

function denialLine(denial: SandboxDenial, bounds: Bounds): string {
  if (denial.type === "path") {
    const way =
      denial.operation === "write"
        ? "Write below the workspace or /tmp, or ask the user to allow this path."
        : "Do without it, or ask the user to allow this path.";
    return `[sandbox] ${denial.operation} denied: ${denial.path}. ${way}`;
  }
  const way = bounds.network
    ? "Ask the user to allow this domain."
    : "Call again with allow_network: true to ask the user for it.";
  return `[sandbox] network access denied: ${denial.domain}. ${way}`;
}
