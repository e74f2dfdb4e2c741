import { type CliHost, print } from "../host.ts";
import { clientContext } from "../session-of.ts";
import { commandArgs } from "./subcommand-args.ts";

/** `lathe doctor`: exit code 1 when a check failed. */
export async function doctorCommand(host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("doctor", args, { json: { type: "boolean" } });
  const client = await host.connect();
  try {
    const report = await client.call("daemon.doctor", { cwd: host.cwd, context: clientContext(host) });
    if (values.json) print(host, JSON.stringify(report, null, 2));
    else {
      for (const check of report.checks) {
        const mark = { ok: "ok     ", warning: "warning", failed: "FAILED " }[check.status];
        print(host, `${mark} ${check.name}: ${check.detail}`);
        if (check.mend) print(host, `        to mend: ${check.mend.replaceAll("\n", "\n        ")}`);
      }
    }
    return report.checks.some((check) => check.status === "failed") ? 1 : 0;
  } finally {
    client.close();
  }
}
