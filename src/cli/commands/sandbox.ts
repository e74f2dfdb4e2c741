import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject } from "../../protocol/ids.ts";
import { AppError, errorMessage } from "../../shared/error.ts";
import type { CliHost } from "../host.ts";
import { clientContext } from "../session-of.ts";
import { commandArgs, usage } from "./subcommand-args.ts";

const TIMEOUT_S = 120;

/** `lathe sandbox run [--policy FILE] [--timeout S] -- COMMAND ...`: exits as the command does. */
export async function sandboxCommand(host: CliHost, args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  if (verb !== "run") throw usage(`lathe sandbox has no "${verb ?? ""}"`, "sandbox");
  const { values, positionals } = commandArgs("sandbox run", rest, {
    policy: { type: "string" },
    timeout: { type: "string" },
  });
  if (positionals.length === 0) throw usage("lathe sandbox run needs a command after --", "sandbox");
  const seconds = Number(values.timeout ?? TIMEOUT_S);
  if (!Number.isFinite(seconds) || seconds <= 0)
    throw usage(`--timeout takes seconds, not "${values.timeout}"`, "sandbox");
  const client = await host.connect();
  try {
    const { result } = await client.call("sandbox.run", {
      command: positionals.length === 1 ? (positionals[0] ?? "") : positionals.map(quote).join(" "),
      cwd: host.cwd,
      policy: values.policy === undefined ? {} : policyOf(host, values.policy),
      environment: clientContext(host).environment,
      timeoutMs: seconds * 1000,
    });
    host.stdout.write(result.stdout.text);
    host.stderr.write(result.stderr.text);
    for (const denial of result.denials) {
      host.stderr.write(
        `[sandbox] denied: ${denial.type === "path" ? `${denial.operation} ${denial.path}` : denial.domain}\n`,
      );
    }
    if (result.timedOut) host.stderr.write(`[sandbox] stopped after ${seconds} s\n`);
    return result.exitCode ?? 128;
  } finally {
    client.close();
  }
}

const quote = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

function policyOf(host: CliHost, file: string): JsonObject {
  try {
    return JSON.parse(readFileSync(resolve(host.cwd, file), "utf8")) as JsonObject;
  } catch (error) {
    throw new AppError("usage", `--policy ${file}: ${errorMessage(error)}`);
  }
}
