import type { CommandResult, Result, SpawnSpec } from "../../protocol/ports.ts";
import type { PipeSource } from "../supervisor/pipes.ts";
import { supervise } from "../supervisor.ts";
import { workingDirectory } from "../working-directory.ts";

/** Variable by which processes of a bare command are found when they left its group. */
const MARKER = "LATHE_COMMAND_ID";

/** Runs a command without any sandbox: only on the user's explicit word. */
export async function runBare(
  spec: SpawnSpec,
  options: { now(): number; newId(): string; pipes: PipeSource },
): Promise<Result<CommandResult>> {
  const place = workingDirectory(spec.cwd, { ...spec.policy, tmpDir: "/tmp" });
  const marker = { name: MARKER, value: options.newId() };
  const run = await supervise(
    {
      file: "/bin/bash",
      argv: ["--noprofile", "--norc", "-c", spec.command],
      env: { ...spec.env, [marker.name]: marker.value },
      cwd: place.host,
      pipes: options.pipes,
      tree: { type: "group", marker },
    },
    {
      timeoutMs: spec.timeoutMs,
      outputBytes: spec.policy.limits.outputBytes,
      signal: spec.signal,
      onOutput: spec.onOutput,
      now: options.now,
    },
  );
  if (!run.started)
    return { ok: false, error: { code: "io", message: `bash could not be started: ${run.reason}` } };
  const stderr =
    place.note === null ? run.end.stderr : { ...run.end.stderr, text: place.note + run.end.stderr.text };
  return { ok: true, value: { ...run.end, stderr, denials: [], sandbox: "none" } };
}
