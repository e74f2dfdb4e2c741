import { resolve } from "node:path";
import type { JsonObject } from "../../protocol/ids.ts";
import { defineTool } from "../define.ts";
import { portFailure } from "../support/output.ts";
import { absolutePath } from "../support/paths.ts";
import description from "./bash.md";
import { commandOutput } from "./command-output.ts";

/** Runs shell text in the session's sandbox. */
export const bashTool = defineTool({
  name: "bash",
  aliases: [
    "bash_executor",
    "run_command",
    "shell",
    "execute_command",
    "run_shell_command",
    "shell_command",
    "local_shell",
    "exec_command",
    "execute_bash",
    "run_terminal_cmd",
    "terminal",
  ],
  description,
  parameters: {
    command: { type: "string", required: true, minLength: 1, aliases: ["cmd", "script", "code"] },
    timeout_sec: {
      type: "number",
      minimum: 0.001,
      description: "Time limit in seconds",
      aliases: ["timeout_seconds", "timeout_s"],
    },
    cwd: {
      type: "string",
      description: "Working directory",
      aliases: ["workdir", "dir", "directory", "dir_path"],
    },
    allow_network: { type: "boolean", description: "Ask for network access", aliases: ["network"] },
  },
  effect: "execute",
  parallel: true,
  prepare,
  actions: (input, place) => [
    {
      type: "run_command",
      command: input.command,
      cwd: resolve(absolutePath(input.cwd ?? ".", place)),
      network: input.allow_network ?? false,
      unsandboxed: false,
    },
  ],
  async run(input, context) {
    const { commandTimeoutMs, commandTimeoutMaxMs, outputLimitChars } = context.settings;
    const asked = input.timeout_sec === undefined ? commandTimeoutMs : Math.ceil(input.timeout_sec * 1000);
    const timeoutMs = Math.min(asked, commandTimeoutMaxMs);
    const network = input.allow_network ?? false;
    const cwd = resolve(absolutePath(input.cwd ?? ".", context.place));
    const result = await context.commands.run(input.command, { cwd, timeoutMs, network });
    if (!result.ok) return portFailure(result.error);
    return commandOutput(input.command, result.value, {
      limit: outputLimitChars,
      timeoutMs,
      maxTimeoutMs: commandTimeoutMaxMs,
      network,
    });
  },
});

/** Other agents' shells: a list of words for the command, limits in milliseconds. */
function prepare(input: JsonObject): JsonObject {
  const { timeout, timeout_ms, ...rest } = input;
  const prepared: JsonObject = { ...rest };
  const command = input.command ?? input.cmd;
  if (Array.isArray(command)) {
    const words = command.map(String);
    const script = /^(.*\/)?(ba|z|da)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "");
    prepared.command = script && words.length === 3 ? (words[2] ?? "") : words.map(quoted).join(" ");
  }
  // `timeout` is milliseconds with some models and seconds with others; nobody means 1,000 s by accident.
  const given = Number(timeout_ms ?? timeout);
  if (prepared.timeout_sec === undefined && Number.isFinite(given) && given > 0) {
    const milliseconds = timeout_ms !== undefined || given >= 1000;
    prepared.timeout_sec = milliseconds ? given / 1000 : given;
  }
  return prepared;
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
