import { cpuOf, median, timed } from "../measure.ts";
import { type Effort, type Group, ms, plainRow, type Row, ratioRow } from "../row.ts";
import { bodyOf, DONE, wasAsked } from "../scripts.ts";
import { inWorld, LATHE, type World } from "../world.ts";

const bare = { cwd: "/", env: { PATH: process.env.PATH ?? "" } };

const version: Group = {
  name: "version",
  async run({ runs }) {
    const floor: number[] = [];
    const lathe: number[] = [];
    for (let run = 0; run < runs * 2; run++) {
      floor.push((await timed([process.execPath, "-e", "0"], bare)).ms);
      const own = await timed([process.execPath, LATHE, "--version"], bare);
      if (!/^\d+\.\d+\.\d+/.test(own.stdout)) throw new Error(`--version printed ${own.stdout}`);
      lathe.push(own.ms);
    }
    return [ratioRow("`--version` over bare Node", median(floor), median(lathe), 1.5, ms)];
  },
};

/** Milliseconds from the start of a process to its first model request. */
async function toRequest(world: World, run: () => Promise<{ stdout: string }>): Promise<number> {
  const count = world.model.requests.length;
  let arrived = 0;
  const began = performance.now();
  const seen = world.model.waitForRequest(count + 1, 20_000).then(() => {
    arrived = performance.now() - began;
  });
  const [, { stdout }] = await Promise.all([seen, run()]);
  if (stdout.trim() !== "done") throw new Error(`the answer was ${JSON.stringify(stdout)}`);
  return arrived;
}

async function startRow(
  figure: string,
  effort: Effort,
  most: number,
  before: (world: World) => Promise<void>,
): Promise<Row> {
  return await inWorld(
    () => DONE,
    async (world) => {
      await world.lathe();
      const floor: number[] = [];
      const lathe: number[] = [];
      for (let run = 0; run < effort.runs; run++) {
        await before(world);
        lathe.push(await toRequest(world, () => world.lathe()));
        floor.push(await toRequest(world, () => world.floor()));
      }
      return ratioRow(figure, median(floor), median(lathe), most, ms);
    },
  );
}

const start: Group = {
  name: "start",
  run: async (effort) => [
    await startRow("start to first model request, daemon up", effort, 2.4, async () => undefined),
    await startRow("the same without a daemon", effort, 6.5, (world) => world.stopDaemon()),
  ],
};

const oneAnswer: Group = {
  name: "one answer",
  run: ({ runs }) =>
    inWorld(
      () => DONE,
      async (world) => {
        await world.lathe();
        const floor: number[] = [];
        const client: number[] = [];
        const before = cpuOf(world.daemonPid());
        for (let run = 0; run < runs; run++) {
          floor.push((await world.floor()).cpu);
          client.push((await world.lathe()).cpu);
        }
        const daemon = (cpuOf(world.daemonPid()) - before) / runs;
        const inMs = (seconds: number): string => ms(seconds * 1000);
        const row = ratioRow("CPU of a one-answer run", median(floor), median(client) + daemon, 7.5, inMs);
        return [{ ...row, lathe: `${row.lathe} (daemon ${inMs(daemon)})` }];
      },
    ),
};

const idle: Group = {
  name: "idle",
  run: () =>
    inWorld(
      () => DONE,
      async (world) => {
        await world.lathe();
        await new Promise((resolve) => setTimeout(resolve, 2000));
        const before = cpuOf(world.daemonPid());
        await new Promise((resolve) => setTimeout(resolve, 5000));
        const used = (cpuOf(world.daemonPid()) - before) * 1000;
        return [plainRow("idle daemon, CPU in 5 s", ms(used), "at most 10 ms (one tick)", used <= 10)];
      },
    ),
};

const LONG = "LONG-ANSWER";

const longAnswer: Group = {
  name: "long answer",
  run: ({ runs }) =>
    inWorld(
      (request) => (wasAsked(request, LONG) ? { text: "word ".repeat(20_000), chunkSize: 5 } : DONE),
      async (world) => {
        await world.lathe();
        const totals = { floor: [] as number[], client: [] as number[], daemon: 0 };
        for (let run = 0; run < runs; run++) {
          const own: number[] = [];
          const other: number[] = [];
          const daemon: number[] = [];
          for (const prompt of [LONG, "short"]) {
            const before = cpuOf(world.daemonPid());
            const result = await world.lathe(prompt);
            const expected = prompt === LONG ? 99_999 : 4;
            if (result.stdout.trim().length !== expected)
              throw new Error(`the answer had ${result.stdout.trim().length} characters`);
            own.push(result.cpu);
            daemon.push(cpuOf(world.daemonPid()) - before);
            other.push((await world.floor(prompt)).cpu);
          }
          const over = ([long = 0, short = 0]: number[]): number => (long - short) * 1000;
          totals.floor.push(over(other));
          totals.client.push(over(own));
          totals.daemon += over(daemon) / runs;
        }
        const lathe = median(totals.client) + totals.daemon;
        return [
          ratioRow("answer of 20,000 tokens, CPU over a short answer", median(totals.floor), lathe, 1.7, ms),
        ];
      },
    ),
};

const firstRequest: Group = {
  name: "first request",
  run: () =>
    inWorld(
      () => DONE,
      async (world) => {
        await world.lathe();
        const own = world.taken().at(-1);
        await world.floor();
        const floor = world.taken().at(-1)?.raw.length ?? 0;
        const bytes = own?.raw.length ?? 0;
        const tools = own ? (bodyOf(own).tools as unknown[]).length : 0;
        return [
          plainRow(
            `first request, with ${tools} tools`,
            `${bytes} bytes`,
            "at most 9,000 bytes",
            bytes > 0 && bytes <= 9000,
            `${floor} bytes`,
          ),
        ];
      },
    ),
};

export const startGroups: Group[] = [version, start, oneAnswer, idle, longAnswer, firstRequest];
