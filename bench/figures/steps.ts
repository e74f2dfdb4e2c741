import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedRequest } from "../../src/demo/scripted-model/types.ts";
import { cpuOf, median } from "../measure.ts";
import { type Effort, type Group, ms, plainRow, type Row, ratioRow } from "../row.ts";
import { checkSteps, DONE, gaps, results, resultText, rounds, type Steps, shell, steps } from "../scripts.ts";
import { inWorld, type World } from "../world.ts";

/** Floor steps that the sandbox may cost: 20 ms where the floor's read or edit took 2. */
const SHELL_STEPS = 10;

type Side = { gaps: number[][]; cpu: number };

/** Gaps of a run by what the step did: shell, read, edit. */
function byKind(run: readonly RecordedRequest[]): number[][] {
  const all = gaps(run);
  return [0, 1, 2].map((kind) => all.filter((_, index) => index % 3 === kind));
}

/** One run of so many steps on both sides; each is checked to have done the work. */
async function bothSides(world: World, count: number, work: Steps): Promise<{ floor: Side; lathe: Side }> {
  const file = join(world.work, "a.txt");
  world.taken();
  const before = cpuOf(world.daemonPid());
  const own = await world.lathe();
  const lathe = world.taken();
  checkSteps(lathe.at(-1), count, file, work.fileNow());
  const daemon = cpuOf(world.daemonPid()) - before;
  const other = await world.floor();
  const floor = world.taken();
  checkSteps(floor.at(-1), count, file, work.fileNow());
  return {
    floor: { gaps: byKind(floor), cpu: other.cpu },
    lathe: { gaps: byKind(lathe), cpu: own.cpu + daemon },
  };
}

async function mixed({ runs, steps: count }: Effort): Promise<Row[]> {
  const rounds = Math.ceil(runs / 2);
  const work = steps(count);
  return await inWorld(work.script, async (world) => {
    await bothSides(world, count, work);
    const floor: Side[] = [];
    const lathe: Side[] = [];
    for (let run = 0; run < rounds; run++) {
      const sides = await bothSides(world, count, work);
      floor.push(sides.floor);
      lathe.push(sides.lathe);
    }
    const kind = (sides: Side[], ...kinds: number[]): number =>
      median(sides.flatMap((side) => kinds.flatMap((index) => side.gaps[index] ?? [])));
    const cpu = (sides: Side[], base: number): number =>
      (median(sides.map((side) => side.cpu)) * 1000 - base) / count;
    const bases = await oneAnswerCpu(rounds);
    const shellFloor = kind(floor, 0);
    const shellOwn = kind(lathe, 0);
    const most = SHELL_STEPS * kind(floor, 1, 2);
    return [
      ratioRow(
        "CPU per tool step (shell, read, edit in turn)",
        cpu(floor, bases.floor),
        cpu(lathe, bases.lathe),
        4.5,
        ms,
      ),
      ratioRow("answer to next request, read", kind(floor, 1), kind(lathe, 1), 3, ms),
      ratioRow("answer to next request, edit", kind(floor, 2), kind(lathe, 2), 3, ms),
      plainRow(
        "answer to next request, shell (sandboxed; floor bare)",
        ms(shellOwn),
        `at most ${SHELL_STEPS} of the floor's read or edit steps over its shell (${ms(most)})`,
        shellOwn - shellFloor <= most,
        ms(shellFloor),
      ),
    ];
  });
}

/** CPU of a run without steps, in milliseconds: the part of a run's CPU that is no step's. */
async function oneAnswerCpu(runs: number): Promise<{ floor: number; lathe: number }> {
  return await inWorld(
    () => DONE,
    async (world) => {
      await world.lathe();
      const before = cpuOf(world.daemonPid());
      const floor: number[] = [];
      const lathe: number[] = [];
      for (let run = 0; run < runs; run++) {
        floor.push((await world.floor()).cpu * 1000);
        lathe.push((await world.lathe()).cpu * 1000);
      }
      const daemon = ((cpuOf(world.daemonPid()) - before) * 1000) / runs;
      return { floor: median(floor), lathe: median(lathe) + daemon };
    },
  );
}

/** How read and edit steps slow down over a long conversation, in a daemon that is warm. */
async function growth(): Promise<Row[]> {
  const count = 330;
  const work = steps(count);
  return await inWorld(work.script, async (world) => {
    await bothSides(world, count, work);
    const { floor, lathe } = await bothSides(world, count, work);
    const slower = (side: Side): number => {
      const at = (from: number): number =>
        [1, 2].reduce((sum, kind) => sum + median(side.gaps[kind]?.slice(from, from + 10) ?? []), 0);
      return at(97) / at(10);
    };
    const [f, l] = [slower(floor), slower(lathe)];
    const most = Math.max(1, f) * 1.2;
    return [
      plainRow(
        "read and edit at step 300 against step 30",
        `${l.toFixed(2)}x`,
        `the floor's growth and 20 % (${most.toFixed(2)}x)`,
        l <= most,
        `${f.toFixed(2)}x`,
      ),
    ];
  });
}

/** What the sandbox adds to a shell command, in a project of few and of very many files. */
async function trees({ runs }: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  for (const files of [10, 50_000]) rows.push(await inTree(files, Math.max(3, Math.ceil(runs / 3))));
  return rows;
}

const COMMANDS = 12;

async function inTree(files: number, runs: number): Promise<Row> {
  const script = (request: RecordedRequest) =>
    rounds(request) < COMMANDS ? shell("cat a.txt; echo x >> b.txt") : DONE;
  return await inWorld(script, async (world) => {
    for (let index = 0; index < files; index++) {
      const folder = join(world.work, `d${Math.floor(index / 1000)}`, `e${Math.floor(index / 50) % 20}`);
      if (index % 50 === 0) mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `f${index}.txt`), "x");
    }
    const measure = async (run: () => Promise<unknown>): Promise<number[]> => {
      world.taken();
      await run();
      const requests = world.taken();
      const done = results(requests.at(-1) as RecordedRequest);
      if (done.length !== COMMANDS || !done.every((block) => resultText(block).includes("gamma")))
        throw new Error(`the commands did not run: ${resultText(done[0])}`);
      return gaps(requests);
    };
    await measure(() => world.lathe());
    const floor: number[] = [];
    const lathe: number[] = [];
    for (let run = 0; run < runs; run++) {
      lathe.push(...(await measure(() => world.lathe())));
      floor.push(...(await measure(() => world.floor())));
    }
    const over = median(lathe) - median(floor);
    return plainRow(
      `a shell command in a tree of ${files.toLocaleString("en-US")} files`,
      `${ms(median(lathe))} (${ms(over)} over the floor)`,
      "as in a small tree",
      null,
      ms(median(floor)),
    );
  });
}

export const stepGroups: Group[] = [
  { name: "steps", run: mixed },
  { name: "growth", run: growth },
  { name: "trees", run: trees },
];
