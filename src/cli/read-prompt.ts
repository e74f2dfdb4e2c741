import { fstatSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { AppError } from "../shared/error.ts";
import { type CliHost, say } from "./host.ts";

const MAX_STDIN_BYTES = 10 * 1024 * 1024;
/** With a prompt on the command line, a pipe that stays silent for so long is taken for an inherited one. */
const SILENCE_MS = 1000;

/**
 * The prompt of a one-shot run: the arguments, then what standard input holds. A terminal is never read; a
 * silent pipe is not waited for when the arguments have a prompt already.
 */
export async function readPrompt(host: CliHost, fromArgs: string): Promise<string> {
  const piped = await readStdin(host, fromArgs !== "");
  const prompt = [fromArgs, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (prompt.trim() === "") {
    throw new AppError(
      "bad_input",
      'there is no prompt: give it as an argument (lathe -p "...") or on standard input',
    );
  }
  return prompt;
}

async function readStdin(host: CliHost, mayBeSilent: boolean): Promise<string> {
  if (host.stdin.isTTY === true || !isReadable(host)) return "";
  const decoder = new StringDecoder("utf8");
  let text = "";
  let bytes = 0;
  return await new Promise((resolve, reject) => {
    const letGo = (): void => {
      clearTimeout(timer);
      host.stdin.removeAllListeners("data");
      host.stdin.pause();
      if ("unref" in host.stdin && typeof host.stdin.unref === "function") host.stdin.unref();
    };
    const finish = (): void => {
      letGo();
      resolve(text + decoder.end());
    };
    const timer = mayBeSilent
      ? setTimeout(() => {
          say(
            host,
            "lathe: nothing came on standard input; going on without it (use </dev/null to say so at once)",
          );
          finish();
        }, SILENCE_MS)
      : undefined;
    host.stdin.on("data", (data: Buffer) => {
      clearTimeout(timer);
      bytes += data.length;
      if (bytes > MAX_STDIN_BYTES) {
        letGo();
        reject(
          new AppError(
            "bad_input",
            `standard input is larger than ${MAX_STDIN_BYTES / 1024 / 1024} MiB; put it in a file and name it with @path`,
          ),
        );
        return;
      }
      text += decoder.write(data);
    });
    host.stdin.on("end", finish);
    host.stdin.on("error", finish);
  });
}

/** A closed descriptor and /dev/null hold nothing; asking first saves loading the stream. */
function isReadable(host: CliHost): boolean {
  if (host.stdin.fd === undefined) return true;
  try {
    const stat = fstatSync(host.stdin.fd);
    return stat.isFile() || stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
