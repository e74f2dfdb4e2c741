import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandResult, SandboxPolicy, SandboxPort, SpawnSpec } from "../protocol/ports.ts";
import { createSandbox } from "./create.ts";
import { buildPolicy } from "./policy.ts";

let base = "";
let work = "";
let home = "";
let sandbox: SandboxPort;
let ids = 0;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-sandbox-")));
  work = join(base, "work");
  home = join(base, "home");
  for (const path of [work, home, join(base, "outside")]) mkdirSync(path);
  sandbox = createSandbox({
    stateDir: join(base, "state"),
    tmpRoot: join(base, "state/tmp"),
    home,
    now: Date.now,
    newId: () => `id-${ids++}`,
  });
});

afterEach(async () => {
  await sandbox.release("s1");
  rmSync(base, { recursive: true, force: true });
});

const policyWith = (more: Partial<Parameters<typeof buildPolicy>[0]> = {}): SandboxPolicy =>
  buildPolicy({
    mode: "workspace-write",
    writableRoots: [work],
    readableRoots: [],
    home,
    tmpDir: join(base, "state/tmp/s1"),
    privateDirs: [join(base, "state")],
    ...more,
  });

async function run(command: string, more: Partial<SpawnSpec> = {}): Promise<CommandResult> {
  const result = await sandbox.run({
    sessionId: "s1",
    command,
    cwd: work,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" },
    policy: policyWith(),
    profile: "workspace-write",
    unsandboxed: false,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...more,
  });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const git = (folder: string, ...words: string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@t.test", ...words], {
    env: { PATH: "/usr/bin:/bin", HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    encoding: "utf8",
  });

function repository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  git(folder, "config", "user.name", "T");
  git(folder, "config", "user.email", "t@t.test");
  writeFileSync(join(folder, "a.txt"), "one\n");
  git(folder, "add", "a.txt");
  git(folder, "commit", "-qm", "one");
}

const FSMONITOR = `printf '[core]\\n\\tfsmonitor = "touch ${"$PWD"}/pwned"\\n'`;
const text = (path: string): string => readFileSync(path, "utf8");

describe("what a command sees and leaves", () => {
  it("proves itself", async () => {
    expect(await sandbox.probe()).toMatchObject({ type: "ready", kind: "bwrap" });
  });

  it("writes the work tree and its own /tmp, which the file tools see", async () => {
    const result = await run("echo x > made; echo y > /tmp/t; echo $TMPDIR; cat /tmp/t");
    expect(result).toMatchObject({ exitCode: 0, sandbox: "bwrap", denials: [] });
    expect(result.stdout.text).toBe("/tmp\ny\n");
    expect(text(join(work, "made"))).toBe("x\n");
    expect(text(join(base, "state/tmp/s1/t"))).toBe("y\n");
    expect((await run("cat /tmp/t")).stdout.text).toBe("y\n");
  });

  it("shows only descriptors 0 to 2, and nothing of the daemon in any environment", async () => {
    const result = await run(
      "ls /proc/self/fd | tr '\\n' ' '; cat /proc/*/environ | tr '\\0' '\\n' | grep -c NODE",
    );
    expect(result.stdout.text).toMatch(/^0 1 2 3 0\n$/);
  });

  it("leaves no placeholder behind, and git and cp do not see them", async () => {
    repository(work);
    const result = await run("git status --porcelain; git add -A; cp -r . /tmp/copy && echo copied");
    expect(result.stdout.text).toBe("copied\n");
    expect(readdirSync(work).sort()).toEqual([".git", "a.txt"]);
    expect(existsSync(join(work, ".git/config.worktree"))).toBe(false);
  });

  it("keeps the user's own ignore file in force", async () => {
    repository(work);
    mkdirSync(join(home, ".config/git"), { recursive: true });
    writeFileSync(join(home, ".config/git/ignore"), "*.swp\n");
    writeFileSync(join(work, "x.swp"), "");
    expect((await run("git status --porcelain")).stdout.text).toBe("");
  });

  it("lets programs open their output by name", async () => {
    const result = await run(
      "sh -c 'echo one > /dev/stdout; echo two > /dev/stderr'; echo three | tee /dev/stderr",
    );
    expect([result.stdout.text, result.stderr.text]).toEqual(["one\nthree\n", "two\nthree\n"]);
    const bare = await run("sh -c 'echo two > /dev/stderr'", { unsandboxed: true });
    expect(bare.stderr.text).toBe("two\n");
  });

  it("runs a command that is longer than an argument may be", async () => {
    const long = `echo begin; : ${"x".repeat(200_000)}; echo end`;
    expect((await run(long)).stdout.text).toBe("begin\nend\n");
  });

  it("falls back to the root when the directory is gone, and says so", async () => {
    const result = await run("pwd", { cwd: join(work, "gone") });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout.text).toBe(`${work}\n`);
    expect(result.stderr.text).toContain(join(work, "gone"));
  });

  it("does not read start-up files of shells", async () => {
    for (const name of [".bashrc", ".bash_profile", ".profile"])
      writeFileSync(join(home, name), "sleep 600\n");
    expect((await run("echo alive")).stdout.text).toBe("alive\n");
  });

  it("does not run bare when there is no bubblewrap", async () => {
    const other = createSandbox({
      stateDir: join(base, "state2"),
      tmpRoot: join(base, "state2/tmp"),
      home,
      now: Date.now,
      newId: () => "x",
      programFolders: [join(base, "nothing")],
    });
    const result = await other.run({
      ...{ sessionId: "s2", command: "touch ran", cwd: work, env: {}, policy: policyWith() },
      ...{ profile: "workspace-write", unsandboxed: false, timeoutMs: 5000 },
      signal: new AbortController().signal,
    });
    expect(result).toMatchObject({ ok: false });
    expect(JSON.stringify(result)).toMatch(/bubblewrap.*install/i);
    expect(existsSync(join(work, "ran"))).toBe(false);
  });

  it("runs bare on the user's word, and says so", async () => {
    const result = await run(`echo x > ${join(base, "outside/x")}`, { unsandboxed: true });
    expect(result.sandbox).toBe("none");
    expect(existsSync(join(base, "outside/x"))).toBe(true);
  });
});

describe("read-only profile", () => {
  it("keeps the tree and leaves /tmp", async () => {
    const result = await run("echo x > made; echo y > /tmp/y && cat /tmp/y", { profile: "read-only" });
    expect(result.stdout.text).toBe("y\n");
    expect(result.denials).toEqual([{ type: "path", path: join(work, "made"), operation: "write" }]);
    expect(readdirSync(work)).toEqual([]);
  });
});

describe("denials", () => {
  it("names the path outside the roots", async () => {
    const path = join(base, "outside/marker");
    const result = await run(`echo x > ${path}`);
    expect(result.denials).toContainEqual({ type: "path", path, operation: "write" });
  });

  it("names protected names and secrets", async () => {
    repository(work);
    writeFileSync(join(work, ".env"), "TOKEN=1\n");
    const result = await run(
      "echo x > .git/hooks/pre-commit; git config core.pager evil; echo x > .mcp.json; cat .env",
    );
    expect(result.denials).toEqual(
      expect.arrayContaining([
        { type: "path", path: join(work, ".git/hooks/pre-commit"), operation: "write" },
        { type: "path", path: join(work, ".git/config"), operation: "write" },
        { type: "path", path: join(work, ".mcp.json"), operation: "write" },
        { type: "path", path: join(work, ".env"), operation: "read" },
      ]),
    );
  });

  it("takes an ordinary error for one", async () => {
    const result = await run("touch closed; chmod 000 closed; cat closed; cat missing; ls /root/x; false");
    expect(result.exitCode).toBe(1);
    expect(result.denials).toEqual([]);
  });

  it("names the host that a command without network wanted", async () => {
    const result = await run("curl -sS -m 5 http://example.test/");
    expect(result.denials).toContainEqual({ type: "network", domain: "example.test" });
  });
});

describe("git", () => {
  it("lets clone, commit, worktree and submodule work inside", async () => {
    repository(join(base, "outside/lib"));
    repository(work);
    const lib = join(base, "outside/lib");
    repository(join(base, "outside/super"));
    git(
      join(base, "outside/super"),
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      lib,
      "lib",
    );
    git(join(base, "outside/super"), "commit", "-qm", "sub");
    const result = await run(
      [
        `git clone -q ${lib} vendored && git -C vendored log --oneline | wc -l`,
        "echo two >> a.txt && git commit -qam two",
        "git worktree add -q wt -b side && cd wt && echo z > z && git add z && git commit -qm z && cd ..",
        "git log --all --oneline | wc -l",
        "git clone -q . again && git -C again status --porcelain",
        `git -c protocol.file.allow=always clone -q --recurse-submodules ${join(base, "outside/super")} super && cat super/lib/a.txt`,
      ].join(" && "),
      { policy: policyWith({ readableRoots: [join(base, "outside")] }) },
    );
    expect(result.stderr.text).toBe("");
    expect(result.stdout.text.trim().split(/\s+/)).toEqual(["1", "3", "one"]);
    expect(result.denials).toEqual([]);
    expect(git(join(work, "wt"), "status", "--porcelain")).toBe("");
  });

  it("keeps hooks of a new repository from running later, and the repository working", async () => {
    const result = await run(
      `git init -q new && cd new && printf '#!/bin/sh\\ntouch ${work}/pwned\\n' > .git/hooks/post-checkout && chmod +x .git/hooks/post-checkout && git config core.fsmonitor 'touch ${work}/pwned' && git config branch.main.description kept`,
    );
    expect(result.denials.map((one) => (one.type === "path" ? one.path : ""))).toEqual(
      expect.arrayContaining([join(work, "new/.git/config"), join(work, "new/.git/hooks/post-checkout")]),
    );
    git(join(work, "new"), "status");
    git(join(work, "new"), "checkout", "-q", "-b", "later");
    expect(existsSync(join(work, "pwned"))).toBe(false);
    expect(git(join(work, "new"), "config", "branch.main.description")).toBe("kept\n");
  });

  it("is not fooled by a repository that is put together over two commands", async () => {
    await run(`mkdir -p docs/objects docs/refs && ${FSMONITOR} > docs/config`);
    await run("echo 'ref: refs/heads/main' > docs/HEAD");
    expect(text(join(work, "docs/config"))).not.toContain("fsmonitor");
  });

  it("takes away pointers and commondir files that lead to other configuration", async () => {
    repository(work);
    await run(
      "mkdir sub other && echo 'gitdir: /tmp/evil' > sub/.git && mkdir -p hid/objects hid/refs && echo ../hid > .git/commondir; mkdir odd && echo 'ref: refs/heads/main' > odd/HEAD && echo ../hid > odd/commondir; ln -s ../../outside other/.git",
    );
    expect(existsSync(join(work, "sub/.git"))).toBe(false);
    expect(existsSync(join(work, ".git/commondir"))).toBe(false);
    expect(existsSync(join(work, "odd/commondir"))).toBe(false);
    expect(lstatSync(join(work, "other/.git"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("protects included files, conditional ones too, and files by their other names", async () => {
    repository(work);
    writeFileSync(join(work, "team.gitconfig"), "[core]\n");
    git(work, "config", "includeIf.onbranch:later.path", "../team.gitconfig");
    linkSync(join(work, ".git/config"), join(work, "other-name"));
    const result = await run("echo evil >> team.gitconfig; echo evil >> other-name; echo done");
    expect(result.stdout.text).toBe("done\n");
    expect(text(join(work, "team.gitconfig"))).toBe("[core]\n");
    expect(text(join(work, ".git/config"))).not.toContain("evil");
  });

  it("puts a protected link back", async () => {
    repository(work);
    execFileSync("mv", [join(work, ".git/config"), join(work, "conf")]);
    symlinkSync("../conf", join(work, ".git/config"));
    await run(`rm .git/config; echo evil > .git/config; echo evil >> conf; ls`);
    expect(lstatSync(join(work, ".git/config")).isSymbolicLink()).toBe(true);
    expect(text(join(work, "conf"))).not.toContain("evil");
  });

  it("lets a recognised command write the configuration, and keeps only what starts nothing", async () => {
    repository(work);
    const spec = { gitConfig: "compared" } as const;
    const inert = await run(
      "git remote add origin https://x.test/y.git && git branch -q side && git branch -q -u main side",
      spec,
    );
    expect([inert.exitCode, inert.denials]).toEqual([0, []]);
    expect(git(work, "config", "branch.side.merge")).toBe("refs/heads/main\n");
    const evil = await run("git config core.sshCommand evil; echo evil > .git/hooks/pre-commit", spec);
    expect(evil.denials).toContainEqual({
      type: "path",
      path: join(work, ".git/config"),
      operation: "write",
    });
    expect(existsSync(join(work, ".git/hooks/pre-commit"))).toBe(false);
    expect(text(join(work, ".git/config"))).not.toContain("evil");
    expect(git(work, "config", "remote.origin.url")).toBe("https://x.test/y.git\n");
  });

  it("finds what commands leave only when the last of them has ended", async () => {
    const both = await Promise.all([
      run(
        `git init -q new && git -C new config core.fsmonitor evil; sleep 0.8; git -C new config core.fsmonitor`,
      ),
      run("sleep 0.2"),
    ]);
    expect(both[0].stdout.text).toBe("evil\n");
    expect(text(join(work, "new/.git/config"))).not.toContain("evil");
  });
});

describe("protected names", () => {
  it("takes away what came into being, keeps it in quarantine, and tells", async () => {
    const result = await run(
      "mkdir -p .claude .vscode && echo '{}' > .claude/settings.json && echo '{}' > .vscode/tasks.json && echo n > .claude/notes.md",
    );
    expect(result.denials.map((one) => (one.type === "path" ? one.path : ""))).toEqual(
      expect.arrayContaining([join(work, ".claude/settings.json"), join(work, ".vscode/tasks.json")]),
    );
    expect(readdirSync(join(work, ".claude"))).toEqual(["notes.md"]);
    expect(existsSync(join(base, "state/sandbox/quarantine"))).toBe(true);
  });

  it("leaves them in a folder that is new itself", async () => {
    await run("mkdir -p app/.vscode && echo '{}' > app/.vscode/tasks.json");
    expect(existsSync(join(work, "app/.vscode/tasks.json"))).toBe(true);
  });

  it("protects the target of a start-up file that is a link into a root", async () => {
    writeFileSync(join(work, "zsh"), "# mine\n");
    symlinkSync(join(work, "zsh"), join(home, ".zshrc"));
    await run("echo evil >> zsh");
    expect(text(join(work, "zsh"))).toBe("# mine\n");
  });
});

describe("secrets and sockets", () => {
  it("hides secrets in every depth and by every name, and shows a granted one", async () => {
    mkdirSync(join(work, "deep/er"), { recursive: true });
    for (const path of ["deep/er/.env.local", ".env", "id_rsa"]) writeFileSync(join(work, path), "SECRET\n");
    linkSync(join(work, ".env"), join(work, "linked"));
    symlinkSync("../.env", join(work, "deep/link"));
    const command = "cat deep/er/.env.local .env id_rsa linked deep/link";
    expect((await run(command)).stdout.text).toBe("");
    const granted = policyWith({ allowRead: [join(work, ".env")] });
    expect((await run("cat .env", { policy: granted })).stdout.text).toBe("SECRET\n");
  });

  it("sees a secret that was written a moment ago", async () => {
    await run("true");
    writeFileSync(join(work, ".env"), "SECRET\n");
    expect((await run("cat .env")).stdout.text).toBe("");
  });

  it("keeps the host's sockets out of reach but for a granted one", async () => {
    const path = join(base, "outside/broker.sock");
    let reached = 0;
    const server: Server = createServer((socket) => {
      reached++;
      socket.end("hello");
    });
    await new Promise<void>((done) => server.listen(path, done));
    const command = `python3 -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(9))' ${path}`;
    const refused = await run(command);
    expect([refused.exitCode, reached]).toEqual([1, 0]);
    const granted = await run(command, { policy: policyWith({ allowSockets: [path] }) });
    expect(granted.stdout.text).toContain("hello");
    await new Promise((done) => server.close(done));
  });

  it("lets programs use sockets, shared memory and pseudo-terminals of their own", async () => {
    const result = await run(
      `python3 -c 'import multiprocessing as m, pty, os; m.Lock(); p=m.Pool(2); print(p.map(abs, [-1, 2])); a, b = pty.openpty(); print(os.ttyname(b))'`,
    );
    expect(result.stderr.text).toBe("");
    expect(result.stdout.text).toMatch(/\[1, 2\]\n\/dev\/pts\//);
  });
});

describe("limits", () => {
  it("ends a process that wants too much memory, and bounds the temp folder", async () => {
    const limits = { memoryMb: 256, tmpMb: 16 };
    const result = await run(
      `python3 -c 'b = bytearray(600_000_000); print("got it")'; head -c 50000000 /dev/zero > /tmp/big; stat -c %s /tmp/big`,
      { policy: policyWith({ limits }) },
    );
    expect(result.stdout.text).not.toContain("got it");
    expect(Number(result.stdout.text)).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  it("still runs Node, which reserves much and uses little", async () => {
    const result = await run(`${process.execPath} -e 'console.log(1 + 1)'`, {
      policy: policyWith({ limits: { memoryMb: 512 } }),
    });
    expect(result.stdout.text).toBe("2\n");
  });
});

describe("what goes wrong", () => {
  it("sets up anew when a socket of the host goes away meanwhile", async () => {
    let over = false;
    const churn = (async () => {
      for (let count = 0; !over; count++) {
        const server = createServer();
        await new Promise<void>((done) => server.listen(join(work, `s${count}.sock`), done));
        await new Promise((done) => setTimeout(done, 5));
        await new Promise((done) => server.close(done));
      }
    })();
    const codes = [];
    for (let count = 0; count < 8; count++) codes.push((await run("exit 3")).exitCode);
    over = true;
    await churn;
    expect(codes).toEqual(Array(8).fill(3));
  });

  it("limits processes, for root by a control group", async () => {
    const state = await sandbox.probe();
    const missing = state.type === "ready" && state.missing.some((one) => one.includes("limit of processes"));
    const spec = { policy: policyWith({ limits: { processes: 20 } }), timeoutMs: 15_000 };
    if (missing) return expect(run("true", spec)).rejects.toThrow(/limit of processes/);
    const forks =
      "import os, time\nn = 0\ntry:\n  while n < 60:\n    if os.fork() == 0: time.sleep(60)\n    n += 1\nexcept OSError: pass\nprint(n)";
    const result = await run(`python3 -c '${forks}'`, spec);
    expect(Number(result.stdout.text)).toBeGreaterThan(5);
    expect(Number(result.stdout.text)).toBeLessThan(25);
  });

  it("removes placeholders of a daemon that died", async () => {
    const path = join(work, ".mcp.json");
    writeFileSync(path, "");
    mkdirSync(join(base, "state/sandbox"), { recursive: true });
    writeFileSync(
      join(base, "state/sandbox/placeholders.json"),
      JSON.stringify([[path, lstatSync(path).ino]]),
    );
    await run("true");
    expect(existsSync(path)).toBe(false);
  });
});
