import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/**
 * The escape suite over lathe's sandbox: every attack blocked and every ordinary job working, as the user of this
 * run and, when that is root, as a plain user too. It fails where the sandbox cannot run; it never skips.
 */
const SUITE = resolve(import.meta.dirname, "../security");
const NOBODY = 65_534;
const TIMEOUT_MS = 600_000;

type Summary = {
  user: string;
  blocked: { cases: number; pass: number; fail: string[] };
  works: { cases: number; pass: number; fail: string[] };
  unsound?: string[];
};
type Report = { summary: Summary; results: Record<string, { result: string; expect: string; why?: string }> };

let base = "";
beforeAll(() => {
  base = mkdtempSync("/tmp/lathe-suite-");
  if (process.getuid?.() === 0) chownSync(base, NOBODY, NOBODY);
  chmodSync(base, 0o777);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function runSuite(name: string, adapter: string, asNobody: boolean): Promise<Report> {
  const out = join(base, `${name}.json`);
  const words = [join(SUITE, "run-cases.mjs"), "--adapter", adapter, "--agent-dir", ".lathe"];
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, LANG: "C.UTF-8", TMPDIR: "/tmp" };
  const identity = asNobody ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(process.execPath, [...words, "--base", join(base, name), "--out", out], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...identity,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const code = await new Promise((done) => child.once("close", done));
  if (code !== 0) throw new Error(`the suite ended with ${code}:\n${text}`);
  return JSON.parse(readFileSync(out, "utf8")) as Report;
}

/** Cases that did not come out as expected; what does not apply (another platform) is left out. */
const wrong = (report: Report): string[] =>
  Object.entries(report.results)
    .filter(([, { result }]) => result !== "pass" && result !== "skip")
    .map(([id, { result, expect: wanted, why }]) => `${id}: ${result}, expected ${wanted}. ${why ?? ""}`);

describe("escape suite", () => {
  const adapter = join(SUITE, "adapter.mjs");
  const isRoot = process.getuid?.() === 0;

  it(
    "holds for the user of this run",
    async () => {
      const report = await runSuite("own", adapter, false);
      expect(wrong(report)).toEqual([]);
      expect(report.summary.blocked.pass).toBeGreaterThan(50);
      expect(report.summary.works.pass).toBeGreaterThan(15);
    },
    TIMEOUT_MS,
  );

  it.runIf(isRoot)(
    "holds for a plain user",
    async () => {
      const report = await runSuite("plain", adapter, true);
      expect(wrong(report)).toEqual([]);
      expect(report.summary.user).toBe("user");
    },
    TIMEOUT_MS,
  );

  it(
    "means something: without a sandbox every attack succeeds and every job works",
    async () => {
      const report = await runSuite("none", "none", false);
      expect(report.summary.unsound).toEqual([]);
      expect(report.summary.works.fail).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
