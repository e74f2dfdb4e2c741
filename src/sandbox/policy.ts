import type { SandboxLimits, SandboxPolicy } from "../protocol/ports.ts";

/** Names that no command and no tool writes below a root: what runs later as the user, and who may do what. */
export function defaultProtectedNames(): string[] {
  return [
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".gitconfig",
    ".mcp.json",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".lathe",
  ];
}

/** What is never read: keys, credential stores, `.env` files, and lathe's own folders. */
export function defaultDenyRead(home: string, privateDirs: readonly string[]): string[] {
  const inHome = [".ssh", ".aws", ".netrc", ".config/gcloud", ".gnupg", ".kube", ".docker/config.json", ".git-credentials"];
  return [...inHome.map((name) => `${home}/${name}`), ...privateDirs, "**/.env"];
}

export function buildPolicy(parts: {
  mode: SandboxPolicy["mode"];
  writableRoots: string[];
  readableRoots: string[];
  home: string;
  tmpDir: string;
  privateDirs: string[];
  allowRead: string[];
  denyRead: string[];
  network: SandboxPolicy["network"];
  allowSockets: string[];
  limits: SandboxLimits;
}): SandboxPolicy {
  const { privateDirs, denyRead, ...rest } = parts;
  return {
    ...rest,
    denyRead: [...defaultDenyRead(parts.home, privateDirs), ...denyRead],
    protectedNames: defaultProtectedNames(),
  };
}

export type Verdict = { allowed: true } | { allowed: false; why: "outside_roots" | "protected" | "secret"; detail: string };

export function judgeRead(policy: SandboxPolicy, realPath: string): Verdict {
  if (policy.allowRead.some((path) => within(path, realPath))) return { allowed: true };
  const secret = policy.denyRead.find((pattern) =>
    pattern.startsWith("**/") ? realPath.split("/").includes(pattern.slice(3)) : within(pattern, realPath),
  );
  return secret === undefined ? { allowed: true } : { allowed: false, why: "secret", detail: secret };
}

export function judgeWrite(policy: SandboxPolicy, realPath: string): Verdict {
  const read = judgeRead(policy, realPath);
  if (!read.allowed) return read;
  const root = [...policy.writableRoots, policy.tmpDir].find((path) => within(path, realPath));
  if (root === undefined) return { allowed: false, why: "outside_roots", detail: realPath };
  const inside = `${realPath.slice(root.length).toLowerCase()}/`;
  const name = policy.protectedNames.find((item) => inside.includes(`/${item}/`));
  return name === undefined ? { allowed: true } : { allowed: false, why: "protected", detail: name };
}

const within = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder.replace(/\/$/, "")}/`);
