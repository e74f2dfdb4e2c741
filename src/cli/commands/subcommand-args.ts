import { type ParseArgsConfig, parseArgs } from "node:util";
import { AppError } from "../../shared/error.ts";

/** `parseArgs` whose complaint is a usage error that names the command. */
export function commandArgs<T extends NonNullable<ParseArgsConfig["options"]>>(
  name: string,
  args: string[],
  options: T,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    throw usage(`lathe ${name}: ${message}`, name);
  }
}

/** A usage error (exit code 2) that says where the help is. */
export function usage(message: string, topic: string): AppError {
  return new AppError("usage", `${message}\nlathe help ${topic} shows how`);
}
