import { spawnSync } from "node:child_process";
import type { Flags } from "../args.ts";
import { parseInvocation } from "../args.ts";
import { type CliHost, say } from "../host.ts";
import { runPrint } from "./run.ts";
import { commandArgs, usage } from "./subcommand-args.ts";

/** What `lathe demo` was asked for: the folder for the project, `null` for a temporary one; AppError `usage`. */
export function demoFolder(args: string[]): string | null {
  const { values, positionals } = commandArgs("demo", args, { keep: { type: "string" } });
  if (positionals.length > 0) throw usage(`lathe demo takes no "${positionals[0]}"`, "demo");
  return values.keep ?? null;
}

/** What the demo room prepared; handed in by the entry, because the command line does not import the demo. */
export type DemoRun = { folder: string; prompt: string; model: string };

/** `lathe demo`: runs the prepared demo as a one-shot task in `auto` mode and says what it did. */
export async function demoCommand(host: CliHost, demo: DemoRun): Promise<number> {
  say(host, "lathe demo: the model is scripted (it answers from a file, over a real HTTP port).");
  say(host, "Everything else is the product: daemon, model wire, permissions, sandbox, store.");
  say(host, `The project is a copy in ${demo.folder}\n`);
  say(host, `> ${demo.prompt}\n`);
  const code = await runPrint(host, demoFlags(demo.model), demo.prompt);
  const proof = spawnSync(process.execPath, ["--test"], { cwd: demo.folder, encoding: "utf8" });
  say(host, "");
  if (proof.status === 0) say(host, "Checked outside the sandbox: the project's tests pass now.");
  else say(host, "Checked outside the sandbox: the project's tests still fail.");
  say(
    host,
    `Look at it: cd ${demo.folder} && ${host.command} sessions show "$(${host.command} sessions list --limit 1 | cut -d' ' -f1)"`,
  );
  return code === 0 && proof.status !== 0 ? 1 : code;
}

function demoFlags(model: string): Flags {
  const invocation = parseInvocation(
    ["-p", "--verbose", "--permission-mode", "auto", "--model", model],
    true,
  );
  if (invocation.type !== "print") throw new Error("the demo's own flags are wrong");
  return invocation.flags;
}
