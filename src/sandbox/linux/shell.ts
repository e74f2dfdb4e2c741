import type { SandboxLimits } from "../../protocol/ports.ts";

/** Start-up files are not read: they belong to terminals, and a hostile one could block every command. */
const BASH = ["/bin/bash", "--noprofile", "--norc", "-c"];

/** Linux refuses a single argument above 128 KiB. */
const MAX_ARGUMENT = 120_000;

/** Where a command that is too long for an argument is found inside. */
export const COMMAND_FILE = "/run/lathe/command";

/** The words that run shell text under the limits; `file` is the text when it is too long for a word. */
export function shellWords(command: string, limits: SandboxLimits): { argv: string[]; file: string | null } {
  const isLong = Buffer.byteLength(command) > MAX_ARGUMENT;
  const words = [...BASH, isLong ? `. ${COMMAND_FILE}` : command];
  const settings = limitSettings(limits);
  const argv = settings === "" ? words : [...BASH, `${settings}; exec "$0" "$@"`, ...words];
  return { argv, file: isLong ? command : null };
}

/**
 * Limits of the kernel per process. Memory is limited as data, not as address space: programs like Node
 * reserve much more than they use.
 */
function limitSettings(limits: SandboxLimits): string {
  const settings = [
    ...(limits.memoryMb === null ? [] : [`ulimit -d ${Math.floor(limits.memoryMb * 1024)}`]),
    ...(limits.processes === null ? [] : [`ulimit -u ${Math.floor(limits.processes)}`]),
  ];
  return settings.length === 0 ? "" : `${settings.join(" && ")} || exit 125`;
}
