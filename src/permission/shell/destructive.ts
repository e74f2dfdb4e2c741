import { isWithin, resolveLexical } from "../paths/lexical.ts";
import { argumentsOf, commandName, type ShellCommand, type ShellScript, type ShellWord } from "./command.ts";

const SYSTEM = new Set(
  "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/lib /usr/local /var /Users /System /Library /Applications".split(
    " ",
  ),
);
const HARMLESS_DEVICES =
  /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|ptmx|console|fd(\/.*)?|pts(\/.*)?|shm(\/.*)?)$/;

/**
 * The pattern of a command that no sandbox should excuse, or null: it would wipe a disk, a home or the
 * system, stop the machine, become another user, or never stop growing.
 */
export function destructivePattern(script: ShellScript, home: string): string | null {
  if (script.forkBomb) return "a function that starts itself without end (fork bomb)";
  for (const command of script.commands) {
    const found = patternOf(command, home);
    if (found) return found;
  }
  return null;
}

function patternOf(command: ShellCommand, home: string): string | null {
  for (const redirect of command.redirects) {
    if (redirect.kind === "write" && redirect.target && isDevice(redirect.target, command)) {
      return `> ${redirect.target.text}`;
    }
  }
  const name = commandName(command);
  const args = argumentsOf(command);
  if (name === "sudo" || name === "doas" || name === "pkexec") return name;
  if (/^mk(fs(\.\w+)?|e2fs|dosfs|swap)$/.test(name)) return name;
  if (/^(shutdown|reboot|halt|poweroff)$/.test(name)) return name;
  if (name === "init" || name === "telinit")
    return /^[06]$/.test(args[0]?.text ?? "") ? `${name} ${args[0]?.text}` : null;
  if (name === "systemctl") {
    const verb = args.find((word) => /^(poweroff|reboot|halt|kexec|suspend|hibernate)$/.test(word.text));
    return verb ? `systemctl ${verb.text}` : null;
  }
  return wipePattern(name, args, command, home);
}

function wipePattern(name: string, args: ShellWord[], command: ShellCommand, home: string): string | null {
  const vital = args.find((word) => isVital(word, command, home));
  const flags = args
    .filter((word) => /^-[^-]/.test(word.text))
    .map((word) => word.text)
    .join("");
  const recursive = /[rR]/.test(flags) || args.some((word) => word.text === "--recursive");
  if (name === "rm") {
    if (args.some((word) => word.text === "--no-preserve-root")) return "rm --no-preserve-root";
    return recursive && vital ? `rm -r ${vital.source}` : null;
  }
  if (name === "chmod" || name === "chown" || name === "chgrp") {
    return recursive && vital ? `${name} -R ${vital.source}` : null;
  }
  if (name === "find") {
    const removes = args.some((word) => word.text === "-delete" || word.text === "rm");
    return removes && vital && args[0] === vital ? `find ${vital.source} with removal` : null;
  }
  if (name === "dd") return deviceOperand(args, command, "of=");
  if (/^(tee|cp|mv|shred|wipefs|blkdiscard|sgdisk|sfdisk|fdisk|parted)$/.test(name)) {
    const device = args.find((word) => isDevice(word, command));
    return device ? `${name} ${device.text}` : null;
  }
  return null;
}

function deviceOperand(args: ShellWord[], command: ShellCommand, start: string): string | null {
  const word = args.find((one) => one.text.startsWith(start));
  if (!word) return null;
  const path = { ...word, text: word.text.slice(start.length), prefix: word.prefix.slice(start.length) };
  return isDevice(path, command) ? `dd ${word.text}` : null;
}

/** True for a path below /dev that is no harmless one. */
function isDevice(word: ShellWord, command: ShellCommand): boolean {
  return command.cwds.some((cwd) => {
    const path = resolveLexical(cwd, word.known ? word.text : word.prefix);
    return path.startsWith("/dev/") && !HARMLESS_DEVICES.test(path);
  });
}

/** True for the root, a directory of the system, the home or one above it; `/*` counts as `/`. */
function isVital(word: ShellWord, command: ShellCommand, home: string): boolean {
  if (word.text.startsWith("-") || !word.known) return false;
  const text = word.glob ? word.text.replace(/\/(\*|\.\*|\{[^/]*\})+$/, "/") : word.text;
  if (word.glob && /[*?[]/.test(text)) return false;
  return command.cwds.some((cwd) => {
    const path = resolveLexical(cwd, text);
    return SYSTEM.has(path) || isWithin(path, home);
  });
}
