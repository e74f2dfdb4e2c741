/**
 * The only entry. Looks at the arguments and loads what they need: a client start loads neither the store nor
 * the screen, and `--version` loads nothing.
 */
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Invocation } from "./cli/args.ts";
import type { CliHost } from "./cli/host.ts";

declare const LATHE_VERSION: string;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const version = typeof LATHE_VERSION === "string" ? LATHE_VERSION : "0.0.0-source";
  if (process.platform === "win32") {
    process.stderr.write("lathe does not run on Windows itself; use WSL (wsl --install), where it does.\n");
    process.exitCode = 1;
    return;
  }
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
    process.stdout.write(`${version}\n`);
    return;
  }
  if (args[0] === "daemon" && args[1] === "run") {
    const { runDaemon } = await import("./daemon/wiring.ts");
    await runDaemon({ version, environment: process.env });
    return;
  }
  const { parseInvocation } = await import("./cli/args.ts");
  const { processHost } = await import("./cli/process-host.ts");
  const invocation = parseInvocation(args, process.stdin.isTTY === true);
  const host = processHost({ version, args, entry: process.argv[1] ?? "" });
  if (invocation.type === "interactive") {
    process.exitCode = await runInteractive(host, invocation);
    return;
  }
  if (invocation.type === "print") {
    const { runPrompt } = await import("./cli/run-prompt.ts");
    process.exitCode = await runPrompt(invocation, host);
    return;
  }
  const { runCli } = await import("./cli/run-cli.ts");
  process.exitCode = await runCli(invocation, host, (demoArgs) => runDemo(version, demoArgs));
}

/** The screen; it knows neither the command line nor the config, so both are handed to it. */
async function runInteractive(
  host: CliHost,
  invocation: Extract<Invocation, { type: "interactive" }>,
): Promise<number> {
  const { runTui } = await import("./tui/run-tui.ts");
  const { applyFlags, clientContext, limitsOf, sessionOf, workingDirectory } = await import(
    "./cli/session-of.ts"
  );
  const { flags, prompt } = invocation;
  const code = await runTui(
    {
      version: host.version,
      cwd: workingDirectory(host, flags),
      environment: host.environment,
      historyFile: host.paths.historyFile,
      tmpDir: tmpdir(),
      stdin: process.stdin,
      stdout: process.stdout,
      now: host.now,
      newId: host.newId,
      connect: () => host.connect(),
      context: clientContext(host),
      onSignal(signal, callback) {
        process.on(signal, callback);
        return () => process.off(signal, callback);
      },
      onCrash(callback) {
        process.on("uncaughtExceptionMonitor", callback);
        return () => process.off("uncaughtExceptionMonitor", callback);
      },
      stopJob: () => process.kill(0, "SIGSTOP"),
    },
    {
      openSession: (client) => sessionOf(client, host, flags),
      adjust: (client, session) => applyFlags(client, host, flags, session),
      pick: flags.resume === "",
      prompt,
      limits: limitsOf(flags),
    },
  );
  // A terminal that hangs would keep its stream, and so this process, open.
  process.exit(code);
}

/** The demo's folder and environment in, the ordinary command out. */
async function runDemo(version: string, args: string[]): Promise<number> {
  const { prepareDemo } = await import("./demo/prepare-demo.ts");
  const { processHost } = await import("./cli/process-host.ts");
  const { demoCommand, demoFolder } = await import("./cli/commands/demo.ts");
  const keep = demoFolder(args);
  const demo = await prepareDemo({
    projectSource: fileURLToPath(new URL("./demo-project", import.meta.url)),
    keep,
    cwd: process.cwd(),
  });
  try {
    const environment = { ...process.env, ...demo.environment };
    const host = processHost({
      version,
      args: [],
      entry: process.argv[1] ?? "",
      cwd: demo.folder,
      environment,
    });
    return await demoCommand(host, demo);
  } finally {
    await demo.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`lathe: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
