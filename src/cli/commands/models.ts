import { type CliHost, print } from "../host.ts";
import { clientContext } from "../session-of.ts";
import { commandArgs } from "./subcommand-args.ts";

/** `lathe models` */
export async function modelsCommand(host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("models", args, { json: { type: "boolean" } });
  const client = await host.connect();
  try {
    const listed = await client.call("models.list", { cwd: host.cwd, context: clientContext(host) });
    if (values.json) {
      print(host, JSON.stringify(listed, null, 2));
      return 0;
    }
    print(host, `default: ${listed.default ?? "none; set a key or start a local server"}`);
    for (const model of listed.models)
      print(host, `${model.available ? "  " : "- "}${model.id}  ${model.note}`);
    return 0;
  } finally {
    client.close();
  }
}
