import { readFileSync } from "node:fs";
import { join } from "node:path";
import { delay } from "../../shared/async.ts";
import { type CliHost, print, say } from "../host.ts";
import { commandArgs, usage } from "./subcommand-args.ts";

const STOP_WAIT_MS = 6000;
const STOP_POLL_MS = 20;

/** `lathe daemon status|stop|logs`; none of them starts a daemon. */
export async function daemonCommand(host: CliHost, args: string[]): Promise<number> {
  const [verb = "status", ...rest] = args;
  switch (verb) {
    case "status":
      return await status(host, rest);
    case "stop":
      return await stop(host, rest);
    case "logs":
      return logs(host, rest);
    default:
      throw usage(`lathe daemon has no "${verb}"`, "daemon");
  }
}

async function status(host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("daemon status", args, { json: { type: "boolean" } });
  const client = await host.connect({ start: false }).catch(() => null);
  if (!client) {
    print(host, values.json ? "null" : "No daemon runs; the next lathe starts one.");
    return 0;
  }
  try {
    const state = await client.call("daemon.status", {});
    if (values.json) {
      print(host, JSON.stringify(state, null, 2));
      return 0;
    }
    const minutes = Math.round((host.now() - state.startedAt) / 60_000);
    print(host, `lathe daemon ${state.version}, pid ${state.pid}, up ${minutes} min, ${state.memoryMb} MB`);
    for (const part of state.parts)
      print(host, `${part.ok ? "ok    " : "FAILED"} ${part.name}: ${part.detail}`);
    return state.parts.every((part) => part.ok) ? 0 : 1;
  } finally {
    client.close();
  }
}

async function stop(host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("daemon stop", args, { force: { type: "boolean" } });
  const client = await host.connect({ start: false }).catch(() => null);
  if (!client) {
    print(host, "No daemon runs.");
    return 0;
  }
  const { stopping, working } = await client.call("daemon.stop", { force: values.force === true });
  if (!stopping) {
    client.close();
    say(host, `${working} session(s) are working; --force interrupts them (nothing acknowledged is lost)`);
    return 1;
  }
  const { pid } = client.daemon;
  await new Promise<void>((gone) => client.onLost(() => gone()));
  client.close();
  await processEnd(pid);
  if (isRunning(pid)) {
    say(host, `The daemon (pid ${pid}) is still ending what it runs.`);
    return 1;
  }
  print(host, "Stopped.");
  return 0;
}

/** Waits until a process is gone, so that whoever asked may start another daemon or remove its folders. */
async function processEnd(pid: number): Promise<void> {
  for (let waited = 0; waited < STOP_WAIT_MS && isRunning(pid); waited += STOP_POLL_MS) {
    await delay(STOP_POLL_MS);
  }
}

/** False also for one that ended and only waits for its parent to notice, which init may take a while to. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return true; // no /proc here
  }
}

function logs(host: CliHost, args: string[]): number {
  const { values } = commandArgs("daemon logs", args, { lines: { type: "string", short: "n" } });
  const count = Number(values.lines ?? 50);
  if (!Number.isInteger(count) || count < 1)
    throw usage(`-n takes a whole number, not "${values.lines}"`, "daemon");
  const path = join(host.paths.stateDir, "logs", "daemon.log");
  try {
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    print(host, lines.slice(-count).join("\n"));
  } catch {
    say(host, `There is no log yet (${path}).`);
  }
  return 0;
}
