import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { SandboxDenial, SandboxPolicy } from "../protocol/ports.ts";
import { isWithin, realPathOf } from "../shared/fs.ts";
import { judgeWrite, secretPattern } from "./policy.ts";

export type DenialPlace = {
  policy: SandboxPolicy;
  /** Working directory of the command, on the host. */
  cwd: string;
  profile: "read-only" | "workspace-write";
};

const MAX_LINES = 400;
const MAX_DENIALS = 20;

/** What the kernel says when a mount is read-only, busy (a pinned name) or closed. */
const REFUSED =
  /read-only file system|EROFS|device or resource busy|EBUSY|permission denied|EACCES|operation not permitted|EPERM|cross-device link|EXDEV/i;
const CLOSED = /permission denied|EACCES/i;
/** What programs say when they wanted to make something; a shell says just this of a redirection. */
const MAKING =
  /cannot (?:create|touch|open)|can't (?:create|open)|could not (?:create|open)|: line \d+: |ENOENT.*(?:open|mkdir)/i;
const ABSENT = /no such file or directory|ENOENT/i;
const NOT_MINE = /operation not permitted|EPERM|permission denied|EACCES/i;

/**
 * Paths in error output that the sandbox kept from being used: words of a line that names such an error, judged
 * with the policy. A file that is closed by its own mode is an ordinary error and no denial.
 */
export async function pathDenials(stderr: string, place: DenialPlace): Promise<SandboxDenial[]> {
  const found = new Map<string, SandboxDenial>();
  for (const line of stderr.split("\n").slice(-MAX_LINES)) {
    const refused = REFUSED.test(line);
    if ((!refused && !ABSENT.test(line)) || found.size >= MAX_DENIALS) continue;
    for (const word of pathsIn(line)) {
      const denial = refused ? await judge(word, line, place) : outOfView(word, line, place);
      if (denial?.type === "path") found.set(`${denial.operation} ${denial.path}`, denial);
    }
  }
  return [...found.values()];
}

/** Candidates for paths in a line: quoted parts, and what stands between colons or spaces. */
function pathsIn(line: string): string[] {
  const quoted = [...line.matchAll(/'([^']+)'|"([^"]+)"|`([^`']+)'|‘([^’]+)’/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? "",
  );
  const parts = line.split(/:\s|:$/).map((part) => part.trim());
  // `program: path: error`, and in scripts `shell: line 1: path: error`.
  const named = parts.length > 2 ? parts.slice(1) : parts;
  const lastWords = named.map((part) => part.split(/\s+/).pop() ?? "");
  const beforeError = parts.at(-2) ?? "";
  return [...new Set([...quoted, ...named, ...lastWords, beforeError])]
    .map((word) => word.replace(/^['"`]|['"`,;]$/g, ""))
    .filter((word) => word.length > 0 && word.length < 1024)
    .filter((word) => isAbsolute(word) || isRelativePath(word) || (word === beforeError && !/\s/.test(word)));
}

const isRelativePath = (word: string): boolean =>
  !/\s/.test(word) && /[./]/.test(word) && !word.includes("://");

/** A path in the host's /tmp, which commands do not see: to them it does not exist. */
function outOfView(word: string, line: string, { policy, cwd }: DenialPlace): SandboxDenial | null {
  const path = resolve(cwd, word);
  const shown = [...policy.writableRoots, ...policy.readableRoots];
  if (!isAbsolute(word) || !isWithin("/tmp", path) || isWithinAny(shown, path)) return null;
  const below = dirname(path).slice("/tmp".length);
  if (below === "" || existsSync(join(policy.tmpDir, below)) || !existsSync(dirname(path))) return null;
  if (existsSync(path)) return { type: "path", path, operation: "read" };
  return MAKING.test(line) ? { type: "path", path, operation: "write" } : null;
}

async function judge(word: string, line: string, place: DenialPlace): Promise<SandboxDenial | null> {
  const { policy } = place;
  const path = await hostPath(word, place);
  if (path === null) return null;
  if (secretPattern(policy, path) !== null) {
    return CLOSED.test(line)
      ? { type: "path", path, operation: "read" }
      : { type: "path", path, operation: "write" };
  }
  if (isWithin(policy.tmpDir, path)) return null;
  const walls = place.profile === "read-only" ? { ...policy, mode: "read-only" as const } : policy;
  const verdict = judgeWrite(walls, path);
  if (verdict.allowed) return null;
  // Outside the roots a plain "not permitted" says that the file belongs to somebody else.
  const ordinary =
    verdict.why === "outside_roots" && NOT_MINE.test(line) && !isWithinAny(policy.writableRoots, path);
  return ordinary ? null : { type: "path", path, operation: "write" };
}

const isWithinAny = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => isWithin(folder, path));

/** The path on the host that a path inside stands for. */
async function hostPath(word: string, { policy, cwd }: DenialPlace): Promise<string | null> {
  const spelled = resolve(cwd, word);
  // Beside a root that lies in the host's /tmp there is nothing private, but the bare way to it.
  const tops = [...policy.writableRoots, ...policy.readableRoots].map((root) =>
    root.split("/").slice(0, 3).join("/"),
  );
  const isPrivate = isWithin("/tmp", spelled) && !isWithinAny(tops, spelled);
  const path = isPrivate ? join(policy.tmpDir, spelled.slice("/tmp".length)) : spelled;
  return realPathOf(path).catch(() => null);
}

const UNRESOLVED = [
  /could not resolve (?:host|hostname|proxy):? ['"]?([\w.-]+\.[\w-]+|localhost)/gi,
  /(?:getaddrinfo|queryA+) (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED) ([\w.-]+)/g,
  /Failed to resolve '([\w.-]+)'/g,
  /unable to (?:resolve host|access) ['"]?(?:https?:\/\/)?([\w.-]+)/gi,
  /could not translate host name "([\w.-]+)"/gi,
  /(?:ping|ssh|wget|nc|telnet|host): (?:.*?)([\w-]+(?:\.[\w-]+)+): (?:Temporary failure|Name or service|nodename)/g,
  /lookup ([\w.-]+)(?: on \S+)?: /g,
];

/** Names that a command without network wanted to reach, as its programs tell it. */
export function unresolvedNames(stderr: string): string[] {
  const names = new Set<string>();
  for (const pattern of UNRESOLVED) {
    for (const match of stderr.slice(-100_000).matchAll(pattern))
      if (match[1]) names.add(match[1].toLowerCase());
  }
  return [...names].slice(0, MAX_DENIALS);
}
