import { describe, expect, it } from "vitest";
import type { SandboxPolicy } from "../protocol/ports.ts";
import { buildPolicy, judgeRead, judgeWrite } from "./policy.ts";

const policy = (more: Partial<Parameters<typeof buildPolicy>[0]> = {}): SandboxPolicy =>
  buildPolicy({
    mode: "workspace-write",
    writableRoots: ["/w"],
    readableRoots: ["/lib"],
    home: "/home/u",
    tmpDir: "/state/tmp/s1",
    privateDirs: ["/home/u/.local/state/lathe"],
    ...more,
  });

const readOf = (path: string, more = {}): string => {
  const verdict = judgeRead(policy(more), path);
  return verdict.allowed ? "yes" : verdict.why;
};
const writeOf = (path: string, more = {}): string => {
  const verdict = judgeWrite(policy(more), path);
  return verdict.allowed ? "yes" : verdict.why;
};

describe("judgeRead", () => {
  it.each([
    ["/w/a.txt", "yes"],
    ["/lib/x", "yes"],
    ["/state/tmp/s1/x", "yes"],
    ["/w2/a.txt", "outside_roots"],
    ["/home/u/.ssh/id_ed25519", "secret"],
    ["/home/u/.SSH/config", "secret"],
    ["/home/u/.local/state/lathe/db", "secret"],
    ["/w/.env", "secret"],
    ["/w/a/b/.env.production", "secret"],
    ["/w/.ENV", "secret"],
    ["/w/.env/sub", "secret"],
    ["/w/.env.example", "yes"],
    ["/w/a/.env.sample", "yes"],
    ["/w/environment.ts", "yes"],
    ["/w/deploy/key.pem", "secret"],
    ["/w/deploy/cacert.pem", "yes"],
    ["/w/test/fixtures/key.pem", "yes"],
    ["/w/keys/id_rsa", "secret"],
    ["/w/keys/id_rsa.pub", "yes"],
  ])("%s -> %s", (path, expected) => expect(readOf(path)).toBe(expected));

  it("lets a grant by name win, for that name only", () => {
    expect(readOf("/w/.env", { allowRead: ["/w/.env"] })).toBe("yes");
    expect(readOf("/w/sub/.env", { allowRead: ["/w/.env"] })).toBe("secret");
  });

  it("reads absolute patterns with `**` and patterns of the user", () => {
    const denyRead = ["/data/**/secret", "customers/"];
    expect(readOf("/data/a/b/secret", { denyRead })).toBe("secret");
    expect(readOf("/data/secret", { denyRead })).toBe("secret");
    expect(readOf("/w/x/customers/list.csv", { denyRead })).toBe("secret");
  });
});

describe("judgeWrite", () => {
  it.each([
    ["/w/a.txt", "yes"],
    ["/state/tmp/s1/.bashrc", "yes"],
    ["/lib/x", "outside_roots"],
    ["/w-sibling/x", "outside_roots"],
    ["/home/u/.bashrc", "outside_roots"],
    ["/w/.git", "protected"],
    ["/w/sub/.git", "protected"],
    ["/w/.git/index", "yes"],
    ["/w/.git/config", "protected"],
    ["/w/.git/config.lock", "yes"],
    ["/w/.GIT/Hooks/pre-commit", "protected"],
    ["/w/a/b/.git/hooks", "protected"],
    ["/w/.git/modules/x/y/config", "protected"],
    ["/w/.git/modules/x/hooks/pre-push", "protected"],
    ["/w/.git/worktrees/wt/commondir", "protected"],
    ["/w/.mcp.json", "protected"],
    ["/w/mcp.json", "yes"],
    ["/w/.lathe/config.json", "protected"],
    ["/w/.lathe", "protected"],
    ["/w/.claude/settings.json", "protected"],
    ["/w/.claude/notes.md", "yes"],
    ["/w/.vscode/launch.json", "yes"],
    ["/w/.vscode/tasks.json", "protected"],
    ["/w/pkg/.idea/x.xml", "protected"],
    ["/w/.env", "secret"],
  ])("%s -> %s", (path, expected) => expect(writeOf(path)).toBe(expected));

  it("lets a read-only session write its own temp folder only", () => {
    expect(writeOf("/w/a.txt", { mode: "read-only" })).toBe("outside_roots");
    expect(writeOf("/state/tmp/s1/a", { mode: "read-only" })).toBe("yes");
  });

  it("knows names that the user adds", () => {
    expect(writeOf("/w/deploy/prod.yaml", { protectedNames: ["deploy/*.yaml"] })).toBe("protected");
  });
});
