import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { memoryPeakMb } from "../../support/memory.ts";
import { newResults } from "../../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const bash = (command: string, more = {}) => ({ calls: [{ name: "bash", input: { command, ...more } }] });
const result = (lab: Case, request: number) => newResults(lab.model.requests[request - 1])[0];
const ok = { text: "ok" };

describe("kind 2: shell tool", () => {
  it("H08 reports death by signal and a non-zero exit as failures, with the output", async () => {
    at = await openCase([
      bash("echo early; kill -9 $$"),
      bash("echo out; echo err >&2; exit 7"),
      bash("sh -c 'kill -SEGV $$'; echo after=$?"),
      ok,
    ]);
    await at.ask("go");
    expect(result(at, 2)?.isError).toBe(true);
    expect(result(at, 2)?.text).toMatch(/early/);
    expect(result(at, 2)?.text).toMatch(/137|SIGKILL|signal 9/);
    expect(result(at, 3)?.isError).toBe(true);
    for (const word of ["out", "err", "7"]) expect(result(at, 3)?.text).toContain(word);
    expect(result(at, 4)?.isError).toBe(false);
    expect(result(at, 4)?.text).toContain("after=139");
    await at.check();
  });

  it("H09 outlives a deleted working directory", async () => {
    at = await openCase([
      bash("mkdir gone && cd gone && rmdir ../gone; echo t1"),
      bash("pwd; echo t2"),
      { calls: [{ name: "write_file", input: { path: "n.txt", content: "x" } }] },
      ok,
    ]);
    expect(await at.ask("go")).toMatchObject({ code: 0 });
    expect(result(at, 2)?.text).toContain("t1");
    expect(result(at, 3)).toMatchObject({ isError: false });
    const [folder = "", said] = (result(at, 3)?.text ?? "")
      .split("\n")
      .filter((line) => /^(\/|t2)/.test(line));
    expect(said).toBe("t2");
    expect(existsSync(folder)).toBe(true);
    expect(at.get("n.txt").toString()).toBe("x");
    await at.check(["n.txt"]);
  });

  it("H10 reports output although the temp folder cannot be written", async () => {
    at = await openCase([bash("echo visible"), bash("true"), ok], { plainUser: true });
    const folder = join(at.work, "ro");
    mkdirSync(folder);
    chmodSync(folder, 0o555);
    if (process.getuid?.() === 0) chownSync(folder, 65534, 65534);
    await at.ask("go", [], { env: { TMPDIR: folder } });
    const first = result(at, 2);
    if (first?.isError) expect(first.text).toContain(folder);
    else expect(first?.text).toContain("visible");
    expect(result(at, 3)?.text.trim()).not.toBe("");
    if (result(at, 3)?.isError) expect(result(at, 3)?.text).toContain(folder);
    await at.check();
  });

  it("H11 is not blocked by a hostile profile", async () => {
    at = await openCase([bash("echo alive"), ok]);
    for (const name of [".bashrc", ".bash_profile", ".zshrc", ".profile"])
      writeFileSync(join(at.home, name), 'read -p "go? " x; exec sleep 600\n');
    const run = await at.ask("go", [], { env: { SHELL: "/bin/bash" }, timeoutMs: 15_000 });
    expect(run.code).toBe(0);
    expect(result(at, 2)?.text).toContain("alive");
    expect(at.leftovers().filter(({ command }) => command.includes("sleep 600"))).toEqual([]);
    await at.check();
  });

  it("H12 gives commands an empty stdin, whatever its own is", async () => {
    at = await openCase([
      bash("cat; echo rc=$?"),
      bash("read x < /dev/stdin; echo rc=$?"),
      bash("git -c credential.helper= ls-remote https://127.0.0.1:1/x; echo rc=$?"),
      ok,
    ]);
    const run = await at.ask("go", [], { stdin: "open", timeoutMs: 30_000 });
    expect(run.code).toBe(0);
    expect(result(at, 2)?.text).toContain("rc=0");
    expect(result(at, 3)?.text).toContain("rc=1");
    expect(result(at, 4)?.text).toMatch(/rc=[1-9]/);
    const times = at.model.requests.map((request) => request.at);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeLessThan(10_000);
    expect((times[3] ?? 0) - (times[2] ?? 0)).toBeLessThan(20_000);
    await at.check();
  });

  it("H13 bounds endless output in memory, on disk and in the request", async () => {
    at = await openCase([
      bash("yes flood-line", { timeout_sec: 5 }),
      bash("head -c 40000000 /dev/zero | tr '\\0' x; echo THE-END"),
      ok,
    ]);
    const usedKb = (): number =>
      [at?.home, at?.tmp].reduce(
        (sum, folder) =>
          sum + Number(/^\d+/.exec(execFileSync("du", ["-sk", folder ?? ""], { encoding: "utf8" }))),
        0,
      );
    const before = usedKb();
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, usedKb() - before);
    }, 1000);
    const peak = memoryPeakMb(at);
    const run = await at.ask("go");
    clearInterval(timer);
    expect(run.code).toBe(0);
    expect(peak.stop()).toBeLessThan(500);
    expect(Math.max(most, usedKb() - before)).toBeLessThan(100_000);
    for (const number of [2, 3]) expect(at.model.requests[number - 1]?.raw.length).toBeLessThan(2_000_000);
    expect(result(at, 2)?.text).toContain("flood-line");
    expect(result(at, 3)?.text).toContain("THE-END");
    expect(result(at, 3)?.text).toMatch(/cut|omitted|truncated|left out/i);
    await at.check();
  });
});
