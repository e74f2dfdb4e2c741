import { statSync } from "node:fs";
import { join } from "node:path";
import type { RecordedRequest, Script, Turn } from "../src/demo/scripted-model/types.ts";
import { median, timed } from "./measure.ts";
import { LATHE, openWorld, type World } from "./world.ts";

export type Row = { floor: string; lathe: string; ratio?: string };
export type Figure = { name: string; budget: string; run(): Promise<Row> };

const RUNS = 9;
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const times = (a: number, b: number): string => (b === 0 ? "" : `${(a / b).toFixed(1)}x`);
const done: Turn = { text: "done" };

/** How many tool rounds a conversation has had. */
function rounds(request: RecordedRequest): number {
  const { messages } = request.body as { messages: { role: string; content: unknown }[] };
  return messages.filter(
    ({ content }) => Array.isArray(content) && content.some((block) => block.type === "tool_result"),
  ).length;
}

const shell = (command: string): Turn => ({ calls: [{ name: "bash", input: { command } }] });

/** Shell, read and edit in turn, for so many steps. */
function steps(count: number) {
  return (request: RecordedRequest): Turn => {
    const round = rounds(request);
    if (round >= count) return done;
    if (round % 3 === 0) return shell("true");
    if (round % 3 === 1) return { calls: [{ name: "read_file", input: { path: "a.txt" } }] };
    const [from, to] = Math.floor(round / 3) % 2 === 0 ? ["beta", "delta"] : ["delta", "beta"];
    return { calls: [{ name: "edit_file", input: { path: "a.txt", old_text: from, new_text: to } }] };
  };
}

/** Milliseconds from each answer's request to the next request of the same run, by what the step did. */
function gaps(requests: readonly RecordedRequest[], from: number, kind: number): number[] {
  const run = requests.slice(from);
  return run
    .slice(1)
    .flatMap((request, index) => (index % 3 === kind ? [request.at - (run[index]?.at ?? 0)] : []));
}

async function inWorld<T>(script: Script, work: (world: World) => Promise<T>): Promise<T> {
  const world = await openWorld(script);
  try {
    return await work(world);
  } finally {
    await world.close();
  }
}

const bare = { cwd: "/", env: { PATH: process.env.PATH ?? "" } };

export const figures: Figure[] = [
  {
    name: "`--version`",
    budget: "at most 1.5x bare Node",
    async run() {
      const floor: number[] = [];
      const lathe: number[] = [];
      for (let run = 0; run < 15; run++) {
        floor.push((await timed([process.execPath, "-e", "0"], bare)).ms);
        lathe.push((await timed([process.execPath, LATHE, "--version"], bare)).ms);
      }
      return {
        floor: ms(median(floor)),
        lathe: ms(median(lathe)),
        ratio: times(median(lathe), median(floor)),
      };
    },
  },
  {
    name: "start to first request, daemon up",
    budget: "at most 2.4x",
    run: () =>
      inWorld(
        () => done,
        async (world) => {
          await world.lathe();
          return await firstRequest(world, async () => {});
        },
      ),
  },
  {
    name: "start to first request, no daemon",
    budget: "at most 6.5x",
    run: () =>
      inWorld(
        () => done,
        (world) => firstRequest(world, () => world.stopDaemon()),
      ),
  },
  {
    name: "CPU of a one-answer run",
    budget: "at most 7.5x",
    run: () =>
      inWorld(
        () => done,
        async (world) => {
          await world.lathe();
          const floor: number[] = [];
          const lathe: number[] = [];
          for (let run = 0; run < RUNS; run++) {
            floor.push((await world.floor()).cpu);
            const own = await world.lathe();
            lathe.push(own.cpu + own.daemonCpu);
          }
          const [a, b] = [median(lathe), median(floor)];
          return { floor: `${b.toFixed(2)} s`, lathe: `${a.toFixed(2)} s`, ratio: times(a, b) };
        },
      ),
  },
  {
    name: "CPU per tool step (shell, read, edit in turn)",
    budget: "at most 9 ms where the floor takes 2",
    run: () =>
      inWorld(steps(60), async (world) => {
        await world.lathe();
        const own = await world.lathe();
        const floor = await world.floor();
        const one = (cpu: number): number => ((cpu - 0.08) * 1000) / 60;
        const lathe = ((own.cpu + own.daemonCpu - 0.12) * 1000) / 60;
        return { floor: ms(Math.max(0, one(floor.cpu))), lathe: ms(lathe) };
      }),
  },
  {
    name: "answer to next request, read and edit",
    budget: "at most 6 ms where the floor takes 2",
    run: () => stepGap([1, 2]),
  },
  {
    name: "answer to next request, shell (sandboxed; floor bare)",
    budget: "at most 20 ms over the floor",
    run: () => stepGap([0]),
  },
  {
    name: "step 300 against step 30",
    budget: "the floor's growth and 20 %",
    run: () =>
      inWorld(steps(320), async (world) => {
        await world.lathe();
        const growth = (from: number): number => {
          const run = world.model.requests.slice(from);
          const gap = (at: number): number =>
            median(
              run.slice(at, at + 30).map((request, index) => request.at - (run[at + index - 1]?.at ?? 0)),
            );
          return gap(285) / gap(30);
        };
        const lathe = growth(world.model.requests.length - 321);
        await world.floor();
        const floor = growth(world.model.requests.length - 321);
        return { floor: `${floor.toFixed(2)}x`, lathe: `${lathe.toFixed(2)}x` };
      }),
  },
  {
    name: "peak memory, client and daemon (PSS)",
    budget: "at most 150 MiB",
    run: () =>
      inWorld(steps(60), async (world) => {
        await world.lathe();
        const own = await world.lathe();
        return { floor: "", lathe: `${Math.round(own.peakAllMb)} MiB` };
      }),
  },
  {
    name: "answer of 20,000 tokens, CPU over a short answer",
    budget: "at most 0.12 s",
    run: () =>
      inWorld(
        (request: RecordedRequest) => ({
          text: JSON.stringify(request.body).includes("long") ? "word ".repeat(20_000) : "ok",
          chunkSize: 5,
        }),
        async (world) => {
          await world.lathe();
          const cpu = async (prompt: string): Promise<[number, number]> => {
            const own: number[] = [];
            const floor: number[] = [];
            for (let run = 0; run < 5; run++) {
              const result = await world.lathe(["-p", prompt]);
              own.push(result.cpu + result.daemonCpu);
              floor.push((await world.floor(prompt)).cpu);
            }
            return [median(own), median(floor)];
          };
          const [long, floorLong] = await cpu("long");
          const [short, floorShort] = await cpu("short");
          return {
            floor: `${(floorLong - floorShort).toFixed(2)} s`,
            lathe: `${(long - short).toFixed(2)} s`,
          };
        },
      ),
  },
  {
    name: "first request",
    budget: "at most 9,000 bytes",
    run: () =>
      inWorld(
        () => done,
        async (world) => {
          await world.lathe();
          const own = world.model.requests.at(-1)?.raw.length ?? 0;
          await world.floor();
          return { floor: `${world.model.requests.at(-1)?.raw.length} bytes`, lathe: `${own} bytes` };
        },
      ),
  },
  {
    name: "50 MB of command output, to the next request",
    budget: "at most 1.4x",
    run: () =>
      inWorld(
        (request: RecordedRequest) =>
          rounds(request) === 0 ? shell("head -c 50000000 /dev/zero | tr '\\\\0' x") : done,
        async (world) => {
          await world.lathe();
          const gap = (): number => {
            const [a, b] = world.model.requests.slice(-2);
            return (b?.at ?? 0) - (a?.at ?? 0);
          };
          const lathe: number[] = [];
          const floor: number[] = [];
          for (let run = 0; run < 5; run++) {
            await world.lathe();
            lathe.push(gap());
            await world.floor();
            floor.push(gap());
          }
          return {
            floor: ms(median(floor)),
            lathe: ms(median(lathe)),
            ratio: times(median(lathe), median(floor)),
          };
        },
      ),
  },
  {
    name: "six `sleep 1` in one reply",
    budget: "at most 1,060 ms",
    run: () =>
      inWorld(
        (request: RecordedRequest) =>
          rounds(request) === 0
            ? { calls: Array.from({ length: 6 }, () => ({ name: "bash", input: { command: "sleep 1" } })) }
            : done,
        async (world) => {
          await world.lathe();
          const gap = (): number => {
            const [a, b] = world.model.requests.slice(-2);
            return (b?.at ?? 0) - (a?.at ?? 0);
          };
          const lathe = gap();
          await world.floor();
          return { floor: ms(gap()), lathe: ms(lathe) };
        },
      ),
  },
  {
    name: "entry file",
    budget: "",
    run: async () => ({ floor: "", lathe: `${statSync(join(LATHE)).size} bytes` }),
  },
];

async function firstRequest(world: World, before: () => Promise<void>): Promise<Row> {
  const started = (): number => performance.now();
  const base = world.model;
  const since = async (run: () => Promise<unknown>): Promise<number> => {
    const count = base.requests.length;
    const at = started();
    const running = run();
    await base.waitForRequest(count + 1, 20_000);
    const took = started() - at;
    await running;
    return took;
  };
  const floor: number[] = [];
  const lathe: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await before();
    lathe.push(await since(() => world.latheOnly()));
    floor.push(await since(() => world.floor()));
  }
  return { floor: ms(median(floor)), lathe: ms(median(lathe)), ratio: times(median(lathe), median(floor)) };
}

async function stepGap(kinds: number[]): Promise<Row> {
  return await inWorld(steps(90), async (world) => {
    await world.lathe();
    await world.lathe();
    const lathe = kinds.flatMap((kind) => gaps(world.model.requests, world.model.requests.length - 91, kind));
    await world.floor();
    const floor = kinds.flatMap((kind) => gaps(world.model.requests, world.model.requests.length - 91, kind));
    return { floor: ms(median(floor)), lathe: ms(median(lathe)), ratio: times(median(lathe), median(floor)) };
  });
}
