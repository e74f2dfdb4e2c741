import { describeConfig } from "../../config/describe.ts";
import { type CliHost, print } from "../host.ts";
import { commandArgs } from "./subcommand-args.ts";

/** `lathe config`: reads the same layers as the daemon, without one. */
export async function configCommand(host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("config", args, { json: { type: "boolean" } });
  const described = describeConfig({ paths: host.paths, cwd: host.cwd, environment: host.environment });
  if (values.json) print(host, JSON.stringify(described, null, 2));
  else {
    for (const entry of described.entries)
      print(host, `${entry.key} = ${JSON.stringify(entry.value)}  (${entry.source})`);
    for (const notice of described.notices) print(host, `note: ${notice.text}`);
  }
  return 0;
}
