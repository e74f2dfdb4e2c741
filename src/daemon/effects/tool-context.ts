import type { CommandPort, FilePort, SandboxPolicy } from "../../protocol/ports.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import type { Approved } from "../../sandbox/file-guard.ts";
import { createFiles } from "../../sandbox/files/create-files.ts";
import { createSearch } from "../../sandbox/search/create-search.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { Attempt, RunRights } from "./attempt.ts";
import { commandEnvironment } from "./command-environment.ts";
import { decideDomain } from "./decide-domain.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { taskAccess, todoAccess } from "./plan-ports.ts";
import { createRecall } from "./recall.ts";
import { skillAccess } from "./skill-access.ts";

/** The context a tool gets: ports that are already under the session's policy and this attempt's rights. */
export function buildToolContext(
  attempt: Attempt,
  runtime: SessionRuntime,
  ports: EffectPorts,
): { context: ToolContext; deniedPaths(): string[] } {
  const { effect, signal } = attempt;
  const deniedPaths: string[] = [];
  const config = runtime.settings.config;
  const context: ToolContext = {
    place: runtime.place,
    signal,
    files: fileAccess(attempt, runtime, ports, false),
    commands: commandAccess(attempt, runtime, ports, deniedPaths),
    search: createSearch({
      policy: runtime.policy,
      place: runtime.place,
      ripgrep: ports.ripgrep,
      environmentPath: runtime.environment.PATH ?? "/usr/bin:/bin",
      signal,
      approved: approvedPaths(attempt.rights),
    }),
    recall: createRecall(runtime, ports),
    compact: (focus) => void attempt.facts.push({ type: "compaction_wished", focus }),
    todos: todoAccess(attempt, runtime),
    tasks: taskAccess(runtime, ports),
    skills: skillAccess(attempt, runtime, ports),
    progress: (text) =>
      ports.delta(runtime.actor.session.id, { type: "progress", callId: effect.call.id, text }),
    image: async (bytes, mediaType, size) => ({
      type: "image",
      blob: await ports.store.putBlob(bytes, mediaType),
      ...size,
    }),
    settings: {
      commandTimeoutMs: config.tools.commandTimeoutSec * 1000,
      commandTimeoutMaxMs: config.tools.commandTimeoutMaxSec * 1000,
      outputLimitChars: config.tools.outputLimit,
      extra: null,
    },
  };
  return { context, deniedPaths: () => [...new Set(deniedPaths)] };
}

/** The file layer for one attempt; `dryRun` computes changes without making them. */
export function fileAccess(
  attempt: Attempt,
  runtime: SessionRuntime,
  ports: EffectPorts,
  dryRun: boolean,
): FilePort {
  const { effect, facts } = attempt;
  return createFiles({
    policy: runtime.policy,
    place: runtime.place,
    seen: runtime.seen,
    signal: attempt.signal,
    dryRun,
    approved: approvedPaths(attempt.rights),
    storeBytes: async (bytes) => (await ports.store.putBlob(bytes, "application/octet-stream")).hash,
    onChange(change) {
      facts.push({
        type: "file_changed",
        change: {
          ...change,
          sessionId: runtime.actor.session.id,
          runId: effect.runId,
          callId: effect.call.id,
          at: ports.clock.now(),
        },
      });
    },
  });
}

/**
 * Paths open to this attempt beyond the policy: what the decision let through for reading, wherever it lies,
 * and, when a person approved this exact call, what it writes.
 */
function approvedPaths(rights: RunRights): Approved {
  const read = rights.actions.flatMap((action) => (action.type === "read_path" ? [action.realPath] : []));
  const written = rights.actions.flatMap((action) => (action.type === "write_path" ? [action.realPath] : []));
  return {
    outside: rights.approved ? [...read, ...written] : read,
    protectedPaths: rights.approved ? written : [],
  };
}

function commandAccess(
  attempt: Attempt,
  runtime: SessionRuntime,
  ports: EffectPorts,
  deniedPaths: string[],
): CommandPort {
  const { effect, rights, signal } = attempt;
  return {
    run: async (command, options) => {
      const result = await ports.sandbox.run({
        sessionId: runtime.actor.session.id,
        command,
        cwd: options.cwd,
        env: commandEnvironment(runtime.environment, runtime.settings.config.env, runtime.place.home),
        policy: policyFor(rights, runtime),
        profile: rights.profile,
        unsandboxed: rights.unsandboxed,
        gitConfig: rights.gitConfig,
        timeoutMs: options.timeoutMs,
        signal,
        onOutput: (text) =>
          ports.delta(runtime.actor.session.id, { type: "progress", callId: effect.call.id, text }),
        decideDomain: (request) => decideDomain(request, options.network, attempt, runtime, ports),
      });
      if (result.ok) {
        for (const denial of result.value.denials) {
          if (denial.type === "path" && denial.operation === "write") deniedPaths.push(denial.path);
        }
      }
      return result;
    },
  };
}

/** The session's walls, opened by what a person approved for this call. */
function policyFor(rights: RunRights, { policy }: SessionRuntime): SandboxPolicy {
  if (rights.extraRoots.length === 0) return policy;
  return { ...policy, writableRoots: [...policy.writableRoots, ...rights.extraRoots] };
}
