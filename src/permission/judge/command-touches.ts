import { globExpression } from "../paths/glob.ts";
import { isWithin, resolveLexical } from "../paths/lexical.ts";
import type { ShellScript, ShellWord } from "../shell/command.ts";
import { touchedBy } from "../shell/paths-of.ts";
import type { JudgeContext } from "./context.ts";

/** A file that the words of a command name. */
export type Touch = {
  how: "write" | "read";
  /** Absolute, as named. */
  path: string;
  /** With links followed. */
  real: string;
  /** True for what is the command's own: its devices and the private /tmp. */
  private: boolean;
  /** The command or redirection. */
  source: string;
};

const OWN_DEVICE = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd(\/.*)?|shm(\/.*)?)$/;
const MAX_TOUCHES = 500;

/** The files that a script would read or write, as far as its words say; for each directory it may run in. */
export function commandTouches(script: ShellScript, context: JudgeContext): Touch[] {
  const { request } = context;
  const follow = request.resolvePath ?? ((path: string) => path);
  const seen = new Map<string, Touch>();
  for (const command of script.commands) {
    for (const { word, how, source } of touchedBy(command)) {
      for (const text of namesOf(word, context)) {
        if (text === "" || text.includes("\0") || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) continue;
        for (const cwd of command.cwds) {
          const path = resolveLexical(cwd, text);
          const key = `${how} ${path}`;
          if (seen.has(key) || seen.size >= MAX_TOUCHES) continue;
          seen.set(key, { how, path, real: follow(path), private: isPrivate(path, text, context), source });
        }
      }
    }
  }
  return [...seen.values()];
}

/**
 * The paths that a word means: itself, or the directory of a pattern. Without a sandbox that hides them, also
 * the secrets that the pattern could find.
 */
function namesOf(word: ShellWord, { request }: JudgeContext): string[] {
  if (word.known && !word.glob) return [word.text];
  const folder = folderOf(word.prefix);
  if (request.sandboxed || !word.known) return [folder];
  const wanted = word.text.slice(word.text.lastIndexOf("/") + 1);
  const finds = globExpression(wanted, false);
  const secrets = request.denyRead.filter((name) => /^[^!*?[/]+$/.test(name));
  return [
    folder,
    ...secrets
      .filter((name) => finds.test(name) && name.startsWith(".") === wanted.startsWith("."))
      .map((name) => folder + name),
  ];
}

/** The directory that a pattern or unknown name lies in. */
function folderOf(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf("/") + 1);
}

/**
 * Devices and temp directories that inside the sandbox are the session's own. Where the project itself lies
 * below /tmp, its surroundings are not meant.
 */
function isPrivate(path: string, text: string, { request }: JudgeContext): boolean {
  if (OWN_DEVICE.test(path)) return true;
  const folder = ["/tmp", "/var/tmp", "/dev/shm"].find((one) => isWithin(one, path));
  if (!request.sandboxed || folder === undefined || !text.startsWith("/")) return false;
  const first = path.slice(folder.length + 1).split("/")[0] ?? "";
  const { home, cwd, roots } = request.place;
  return ![home, cwd, ...roots].some((own) => isWithin(`${folder}/${first}`, own));
}
