import type { SandboxLimits, SandboxPolicy } from "../protocol/ports.ts";
import { isWithin } from "../shared/fs.ts";
import { defaultDenyRead, defaultProtectedNames } from "./policy/defaults.ts";
import { globExpression, type PatternPlace, patternCovers } from "./policy/pattern.ts";

export { defaultDenyRead, defaultProtectedNames };

/** What a policy is made of; everything left out has its default. Paths are absolute and resolved. */
export type PolicyParts = {
  mode: SandboxPolicy["mode"];
  /** The first is the work tree. */
  writableRoots: readonly string[];
  readableRoots: readonly string[];
  home: string;
  tmpDir: string;
  /** Folders of lathe itself (state, config, runtime): hidden whole. */
  privateDirs: readonly string[];
  /** Added to the defaults. */
  denyRead?: readonly string[];
  allowRead?: readonly string[];
  /** Added to the defaults. */
  protectedNames?: readonly string[];
  network?: SandboxPolicy["network"];
  allowSockets?: readonly string[];
  limits?: Partial<SandboxLimits>;
};

const OUTPUT_BYTES = 1_000_000;

/** The walls of one session: one object for file tools and sandbox. Lists are copies of what was given. */
export function buildPolicy(parts: PolicyParts): SandboxPolicy {
  return {
    mode: parts.mode,
    writableRoots: [...parts.writableRoots],
    readableRoots: [...parts.readableRoots],
    home: parts.home,
    tmpDir: parts.tmpDir,
    denyRead: [...defaultDenyRead(parts.home, parts.privateDirs), ...(parts.denyRead ?? [])],
    allowRead: [...(parts.allowRead ?? [])],
    protectedNames: [...new Set([...defaultProtectedNames(), ...(parts.protectedNames ?? [])])],
    network: parts.network ?? { type: "none" },
    allowSockets: [...(parts.allowSockets ?? [])],
    limits: { memoryMb: null, processes: null, tmpMb: null, outputBytes: OUTPUT_BYTES, ...parts.limits },
  };
}

/** Whether the policy lets a path be used; `detail` is one sentence for the model. */
export type Verdict =
  | { allowed: true }
  | { allowed: false; why: "outside_roots" | "protected" | "secret"; detail: string };

/** Judges reading a resolved path. A secret is a secret wherever it lies. Pure. */
export function judgeRead(policy: SandboxPolicy, realPath: string): Verdict {
  const pattern = secretPattern(policy, realPath);
  if (pattern !== null) return secret(pattern);
  const roots = [...policy.writableRoots, ...policy.readableRoots, policy.tmpDir];
  if (roots.some((root) => isWithin(root, realPath))) return { allowed: true };
  return {
    allowed: false,
    why: "outside_roots",
    detail: `It lies outside the folders of this session (${foldersOf(policy)}).`,
  };
}

/** Judges creating, changing, moving or deleting a resolved path. Pure. */
export function judgeWrite(policy: SandboxPolicy, realPath: string): Verdict {
  const pattern = secretPattern(policy, realPath);
  if (pattern !== null) return secret(pattern);
  if (isWithin(policy.tmpDir, realPath)) return { allowed: true };
  const roots = policy.writableRoots.filter((root) => isWithin(root, realPath));
  if (policy.mode === "read-only" && roots.length > 0) {
    return {
      allowed: false,
      why: "outside_roots",
      detail: "The session is read-only: only /tmp is writable.",
    };
  }
  if (roots.length === 0) {
    return {
      allowed: false,
      why: "outside_roots",
      detail: `Only these folders are writable: ${foldersOf(policy)}.`,
    };
  }
  const name = protectedName(policy, realPath, roots);
  if (name === null) return { allowed: true };
  return {
    allowed: false,
    why: "protected",
    detail: `${name} is protected: what stands there can run later as the user.`,
  };
}

/** The pattern that makes a path a secret, or null: a grant wins, then the last match that is not taken back. */
export function secretPattern(policy: SandboxPolicy, path: string): string | null {
  const place: PatternPlace = { roots: policy.writableRoots, home: policy.home };
  let found: string | null = null;
  for (const pattern of policy.denyRead) {
    if (pattern.startsWith("!")) {
      if (found !== null && patternCovers(pattern.slice(1), path, place)) found = null;
    } else if (found === null && patternCovers(pattern, path, place)) found = pattern;
  }
  if (found === null) return null;
  return policy.allowRead.some((pattern) => patternCovers(pattern, path, place)) ? null : found;
}

/**
 * The protected name that covers a path below one of the roots, or null. By component and without case. The
 * `.git` entry itself counts: who replaces it chooses the configuration that git will read.
 */
export function protectedName(
  policy: SandboxPolicy,
  path: string,
  roots: readonly string[] = policy.writableRoots,
): string | null {
  for (const root of roots) {
    if (!isWithin(root, path)) continue;
    const inside = path.slice(root === "/" ? 1 : root.length + 1);
    if (/(^|\/)\.git$/i.test(inside)) return ".git";
    for (const name of policy.protectedNames) {
      if (name.startsWith("/") ? isWithin(trimmed(name), path) : globExpression(`**/${name}`).test(inside)) {
        return trimmed(name);
      }
    }
  }
  return null;
}

const trimmed = (name: string): string => name.replace(/(?<=.)\/+$/, "");

const foldersOf = (policy: SandboxPolicy): string =>
  [...(policy.mode === "read-only" ? [] : policy.writableRoots), "/tmp"].join(", ");

const secret = (pattern: string): Verdict => ({
  allowed: false,
  why: "secret",
  detail: `It may hold secrets (${pattern}); the user can grant it by name.`,
});
