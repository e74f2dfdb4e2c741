import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedRequest } from "../../src/demo/scripted-model/types.ts";
import { bytesBelow, median, watchMemory } from "../measure.ts";
import { type Effort, type Group, mib, ms, plainRow, type Row, ratioRow } from "../row.ts";
import {
  bodyOf,
  checkSteps,
  DONE,
  gaps,
  results,
  resultText,
  rounds,
  shell,
  steps,
  toAndFro,
} from "../scripts.ts";
import { inWorld, type World } from "../world.ts";

const MIB = 2 ** 20;

async function memory({ steps: count }: Effort): Promise<Row[]> {
  const work = steps(count);
  const alone = await inWorld(work.script, async (world) => {
    await world.lathe();
    world.taken();
    const own = await peak((began) => world.lathe("go", [], { began }), world);
    checkSteps(world.taken().at(-1), count, join(world.work, "a.txt"), work.fileNow());
    const floor = await peak((began) => world.floor("go", { began }), null);
    const figure = "peak memory of a run: client, daemon, commands (PSS)";
    return plainRow(figure, mib(own), "at most 150 MiB", own <= 150, mib(floor));
  });
  return [alone, await inWorld(toAndFro(count).script, (world) => tenSessions(world, count))];
}

async function peak(
  run: (began: (pid: number) => void) => Promise<unknown>,
  world: World | null,
): Promise<number> {
  const roots: number[] = [];
  const watch = watchMemory(() => (world ? [world.daemonPid(), ...roots] : roots));
  await run((pid) => roots.push(pid));
  return watch.stop();
}

const SESSIONS = 10;

/** Ten detached sessions at work at once, each in a folder of its own. */
async function tenSessions(world: World, count: number): Promise<Row> {
  const folders = Array.from({ length: SESSIONS }, (_, index) => join(world.work, `s${index}`));
  for (const folder of folders) {
    mkdirSync(folder);
    writeFileSync(join(folder, "a.txt"), "alpha\nbeta\ngamma\n");
  }
  await world.command("-p", "go", "--detach", "--permission-mode", "auto", "--cwd", folders[0] ?? "");
  await untilDone(world, 1, count);
  const watch = watchMemory(() => [world.daemonPid()]);
  await Promise.all(
    folders.map((cwd) => world.command("-p", "go", "--detach", "--permission-mode", "auto", "--cwd", cwd)),
  );
  const finished = await untilDone(world, SESSIONS + 1, count);
  const most = watch.stop();
  for (const request of finished) {
    const broken = results(request).find((block) => block.is_error);
    if (broken) throw new Error(`a step of a session failed: ${resultText(broken)}`);
  }
  return plainRow("ten sessions at work in one daemon (PSS)", mib(most), "at most 220 MiB", most <= 220);
}

/** Waits until so many conversations have all their results; gives their last requests. */
async function untilDone(world: World, sessions: number, count: number): Promise<RecordedRequest[]> {
  for (let wait = 0; wait < 1200; wait++) {
    const done = world.model.requests.filter((request) => rounds(request) === count);
    if (done.length >= sessions && done.every((request) => request.answeredAt !== null)) return done;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${sessions} sessions did not end; ${world.model.requests.length} requests came`);
}

async function largeOutput({ runs }: Effort): Promise<Row[]> {
  const command = "head -c 50000000 /dev/zero | tr '\\0' x";
  const script = (request: RecordedRequest) => (rounds(request) === 0 ? shell(command) : DONE);
  return await inWorld(script, async (world) => {
    await world.lathe();
    await settled();
    const before = bytesBelow(world.state);
    await world.lathe();
    await settled();
    const left = (bytesBelow(world.state) - before) / MIB;
    const gap = async (run: () => Promise<unknown>): Promise<number> => {
      world.taken();
      await run();
      const requests = world.taken();
      const text = resultText(results(requests.at(-1) as RecordedRequest)[0]);
      if (!text.includes("xxxx")) throw new Error(`the command did not run: ${text.slice(0, 200)}`);
      return gaps(requests)[0] ?? Number.NaN;
    };
    const floor: number[] = [];
    const lathe: number[] = [];
    for (let run = 0; run < Math.ceil(runs / 2); run++) {
      lathe.push(await gap(() => world.lathe()));
      floor.push(await gap(() => world.floor()));
    }
    return [
      ratioRow("50 MB of command output, to the next request", median(floor), median(lathe), 1.4, ms),
      plainRow("left on disk by it", mib(left), "at most 1 MiB", left <= 1, "0 MiB"),
    ];
  });
}

/** The store writes its log back in a pause. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

async function sleeps(): Promise<Row[]> {
  const six = { calls: Array.from({ length: 6 }, () => ({ name: "bash", input: { command: "sleep 1" } })) };
  return await inWorld(
    (request) => (rounds(request) === 0 ? six : DONE),
    async (world) => {
      await world.lathe();
      world.taken();
      await world.lathe();
      const own = gaps(world.taken())[0] ?? 0;
      await world.floor();
      const floor = gaps(world.taken())[0] ?? 0;
      if (own < 1000 || floor < 1000) throw new Error("the commands did not run");
      return [ratioRow("six `sleep 1` in one reply", floor, own, 1.05, ms)];
    },
  );
}

/** System prompt, tools and every earlier message stay as they were: over turns, resume, restart and fork. */
async function prefixes(): Promise<Row[]> {
  return await inWorld(steps(6).script, async (world) => {
    await world.lathe("first turn");
    await world.lathe("second turn", ["-c"]);
    await world.stopDaemon();
    await world.lathe("after a restart", ["-c"]);
    await world.lathe("in a copy", ["-c", "--fork-session"]);
    const requests = world.taken();
    const stable = requests.slice(1).filter((request, index) => extendsIt(requests[index], request));
    const share = `${stable.length} of ${requests.length - 1}`;
    const met = stable.length === requests.length - 1 && requests.length === 28;
    return [plainRow("byte-stable prefixes (turns, resume, restart, fork)", share, "all", met)];
  });
}

function extendsIt(earlier: RecordedRequest | undefined, later: RecordedRequest): boolean {
  if (!earlier) return false;
  const [a, b] = [bodyOf(earlier), bodyOf(later)];
  const text = (value: unknown): string => JSON.stringify(value);
  if (text(a.system) !== text(b.system) || text(a.tools) !== text(b.tools)) return false;
  return a.messages.every((message, index) => withoutMarks(message) === withoutMarks(b.messages[index]));
}

/** Cache marks move on with the conversation; they are no part of what the model reads. */
const withoutMarks = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner));

async function installed(): Promise<Row[]> {
  const figure = "installed from the packed tarball";
  const budget = "at most 45 MiB";
  const folder = mkdtempSync(join(tmpdir(), "lathe-bench-install-"));
  const run = (args: string[], cwd: string): boolean =>
    spawnSync("npm", args, { cwd, stdio: "ignore" }).status === 0;
  try {
    run(["pack", "--ignore-scripts", "--pack-destination", folder], process.cwd());
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
    if (!tarball) throw new Error("npm pack made no tarball");
    const target = join(folder, "target");
    mkdirSync(target);
    writeFileSync(join(target, "package.json"), "{}");
    const reached = run(["install", "--omit=dev", "--no-audit", "--no-fund", join(folder, tarball)], target);
    if (!reached) return [plainRow(figure, "not measured: npm could not install it", budget, null)];
    const main = join(target, "node_modules", "lathe", "dist", "main.js");
    const shown = spawnSync(process.execPath, [main, "--version"], { encoding: "utf8" });
    if (!existsSync(main) || shown.status !== 0) throw new Error("the installed package does not run");
    const size = bytesBelow(join(target, "node_modules")) / MIB;
    return [plainRow(figure, mib(size), budget, size <= 45)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const sizeGroups: Group[] = [
  { name: "memory", run: memory },
  { name: "large output", run: largeOutput },
  { name: "six sleeps", run: sleeps },
  { name: "prefixes", run: prefixes },
  { name: "installed", run: installed },
];
