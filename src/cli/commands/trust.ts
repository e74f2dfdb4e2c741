import { resolve } from "node:path";
import { type CliHost, print } from "../host.ts";
import { commandArgs } from "./subcommand-args.ts";

/** `lathe trust [--remove] [DIR]` */
export async function trustCommand(host: CliHost, args: string[]): Promise<number> {
  const { values, positionals } = commandArgs("trust", args, { remove: { type: "boolean" } });
  const client = await host.connect();
  try {
    const { path, trusted } = await client.call("trust.set", {
      path: resolve(host.cwd, positionals[0] ?? "."),
      trusted: values.remove !== true,
    });
    print(
      host,
      trusted ? `${path} is trusted: its own config may now loosen rules` : `${path} is no longer trusted`,
    );
    return 0;
  } finally {
    client.close();
  }
}
