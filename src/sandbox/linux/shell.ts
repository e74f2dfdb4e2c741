import { readdirSync, readFileSync } from "node:fs";
import type { SandboxLimits } from "../../protocol/ports.ts";

/** Start-up files are not read: they belong to terminals, and a hostile one could block every command. */
const BASH = ["/bin/bash", "--noprofile", "--norc", "-c"];

/** Descriptors above 2 that this process would pass on to every program it starts. */
export function inheritedDescriptors(): number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isPassedOn(descriptor));
}

const CLOSE_ON_EXEC = 0o2000000;

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}

/** Linux refuses a single argument above 128 KiB. */
const MAX_ARGUMENT = 120_000;

/** Where a command that is too long for an argument is found inside. */
export const COMMAND_FILE = "/run/lathe/command";

/**
 * The words that run shell text under the limits; `file` is the text when it is too long for a word.
 * `inherited` are descriptors of this process that every child would get: they are closed first.
 */
export function shellWords(
  command: string,
  limits: SandboxLimits,
  inherited: readonly number[],
): { argv: string[]; file: string | null } {
  const isLong = Buffer.byteLength(command) > MAX_ARGUMENT;
  const words = [...BASH, isLong ? `. ${COMMAND_FILE}` : command];
  const settings = [...inherited.map((one) => `exec ${one}>&-`), ...limitSettings(limits)].join("; ");
  const argv = settings === "" ? words : [...BASH, `${settings}; exec "$0" "$@"`, ...words];
  return { argv, file: isLong ? command : null };
}

/**
 * Limits of the kernel per process. Memory is limited as data, not as address space: programs like Node
 * reserve much more than they use.
 */
function limitSettings(limits: SandboxLimits): string[] {
  const settings = [
    ...(limits.memoryMb === null ? [] : [`ulimit -d ${Math.floor(limits.memoryMb * 1024)}`]),
    ...(limits.processes === null ? [] : [`ulimit -u ${Math.floor(limits.processes)}`]),
  ];
  return settings.map((setting) => `${setting} || exit 125`);
}
