import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CommandResult, Result, SandboxState, SpawnSpec } from "../../protocol/ports.ts";
import { errorMessage } from "../../shared/error.ts";
import type { PlatformSandbox, SandboxOptions } from "../platform.ts";
import { type CommandPass, createPass } from "../proxy/command-pass.ts";
import { gateEnvironment } from "../proxy/gate-environment.ts";
import { systemResolver } from "../proxy/resolve.ts";
import type { PipeSource } from "../supervisor/pipes.ts";
import { supervise } from "../supervisor.ts";
import { type WorkingDirectory, workingDirectory } from "../working-directory.ts";
import { type HostGate, openHostGate } from "./host-gate.ts";
import { logDenials } from "./log-denials.ts";
import { seatbeltProfile } from "./profile.ts";

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";
const MARKER = "LATHE_COMMAND_ID";

export type MacosOptions = SandboxOptions & { pipes: PipeSource };

/** What Seatbelt cannot give. */
const MISSING = [
  "private /tmp, /run and process view (Seatbelt knows paths only)",
  "limits of memory, processes and temp space",
  "connections between a command and servers on this machine's loopback (closed whole)",
];

/** The sandbox of macOS: Seatbelt, and the gate on loopback. */
export function createMacosSandbox(options: MacosOptions): PlatformSandbox {
  let gate: Promise<HostGate> | null = null;
  const openGate = (): Promise<HostGate> => {
    gate ??= openHostGate();
    return gate;
  };
  return {
    probe: () => probe(options),
    run: (spec) => runInside(spec, options, openGate),
    release(sessionId) {
      if (/^[\w-]+$/.test(sessionId))
        rmSync(join(options.tmpRoot, sessionId), { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

async function probe(options: SandboxOptions): Promise<SandboxState> {
  if (!existsSync(SANDBOX_EXEC)) {
    return { type: "unavailable", reason: `${SANDBOX_EXEC} is missing`, mend: "Use macOS 10.15 or later." };
  }
  const outside = join(options.stateDir, "sandbox-probe");
  const profile = `(version 1)(allow default)(deny file-write*)(allow file-write* (literal "/dev/null"))`;
  const script = `: > '${outside.replaceAll("'", "'\\''")}'; echo RAN`;
  const text = await outputOf(SANDBOX_EXEC, ["-p", profile, "/bin/bash", "-c", script]);
  const held = text.includes("RAN") && !existsSync(outside);
  rmSync(outside, { force: true });
  if (held) return { type: "ready", kind: "seatbelt", missing: MISSING };
  const reason = "Seatbelt did not hold a forbidden write, or could not start";
  return { type: "unavailable", reason, mend: "Commands cannot be started from inside another sandbox." };
}

async function runInside(
  spec: SpawnSpec,
  options: MacosOptions,
  openGate: () => Promise<HostGate>,
): Promise<Result<CommandResult>> {
  const { policy } = spec;
  const place = workingDirectory(spec.cwd, policy);
  const tag = `lathe-${options.newId()}`;
  let gate: HostGate | null = null;
  let pass: CommandPass | null = null;
  try {
    mkdirSync(join(policy.tmpDir, ".cache"), { recursive: true, mode: 0o700 });
    if (policy.network.type === "gate") {
      gate = await openGate();
      const { now, onNetworkDecision: onDecision } = options;
      pass = createPass(spec, { resolver: options.resolver ?? systemResolver(), now, onDecision });
      gate.add(pass);
    }
    const writable = spec.profile === "workspace-write" && policy.mode === "workspace-write";
    const gatePorts = gate === null ? [] : [gate.httpPort, gate.socksPort];
    const profile = seatbeltProfile({ policy, writable, tag, gatePorts });
    const network = gate && pass ? gateEnvironment(pass.token, { host: "127.0.0.1", ...gate }) : {};
    return await superviseIn(spec, { options, place, profile, tag, network, pass });
  } catch (error) {
    return { ok: false, error: { code: "io", message: `The command did not run: ${errorMessage(error)}` } };
  } finally {
    pass?.end();
    if (gate && pass) gate.remove(pass);
  }
}

type Inside = {
  options: MacosOptions;
  place: WorkingDirectory;
  profile: string;
  tag: string;
  network: Record<string, string>;
  pass: CommandPass | null;
};

async function superviseIn(spec: SpawnSpec, inside: Inside): Promise<Result<CommandResult>> {
  const { tmpDir } = spec.policy;
  const { place, tag } = inside;
  const run = await supervise(
    {
      file: SANDBOX_EXEC,
      argv: ["-p", inside.profile, "/bin/bash", "--noprofile", "--norc", "-c", spec.command],
      env: { ...spec.env, ...temporary(tmpDir), ...inside.network, [MARKER]: tag },
      cwd: place.host,
      pipes: inside.options.pipes,
      tree: { type: "group", marker: { name: MARKER, value: tag } },
    },
    {
      timeoutMs: spec.timeoutMs,
      outputBytes: spec.policy.limits.outputBytes,
      signal: spec.signal,
      onOutput: spec.onOutput,
      now: inside.options.now,
    },
  );
  if (!run.started)
    return { ok: false, error: { code: "io", message: `The command did not run: ${run.reason}` } };
  const { end } = run;
  const refused = inside.pass?.end() ?? [];
  const log = end.exitCode === 0 ? "" : await readLog(tag, end.durationMs);
  const stderr = place.note === null ? end.stderr : { ...end.stderr, text: place.note + end.stderr.text };
  return {
    ok: true,
    value: { ...end, stderr, denials: [...refused, ...logDenials(log, tag)], sandbox: "seatbelt" },
  };
}

const temporary = (tmpDir: string): Record<string, string> => ({
  ...{ TMPDIR: tmpDir, TMP: tmpDir, TEMP: tmpDir },
  XDG_CACHE_HOME: join(tmpDir, ".cache"),
  npm_config_cache: join(tmpDir, ".cache/npm"),
});

/** What the system logged since the command began. */
function readLog(tag: string, durationMs: number): Promise<string> {
  const seconds = Math.ceil(durationMs / 1000) + 2;
  const predicate = `eventMessage CONTAINS "${tag}"`;
  return outputOf("/usr/bin/log", [
    "show",
    "--last",
    `${seconds}s`,
    "--style",
    "ndjson",
    "--predicate",
    predicate,
  ]);
}

function outputOf(file: string, words: string[]): Promise<string> {
  return new Promise((done) => {
    execFile(file, words, { env: {}, timeout: 10_000, maxBuffer: 4_000_000 }, (_error, stdout) =>
      done(stdout),
    );
  });
}
