import type { PermissionMode } from "../protocol/permission.ts";
import type { SandboxLimits, SandboxPolicy } from "../protocol/ports.ts";
import type { Limits } from "../protocol/session.ts";
import type { ConfigFile } from "./schema.ts";

/** Every setting with its value, after all layers. */
export type ResolvedConfig = {
  model: string | undefined;
  permissionMode: PermissionMode;
  permissions: { additionalDirectories: string[] };
  limits: Limits;
  models: NonNullable<ConfigFile["models"]>;
  sandbox: {
    network: SandboxPolicy["network"];
    allowRead: string[];
    denyRead: string[];
    allowSockets: string[];
    limits: SandboxLimits;
  };
  tools: { commandTimeoutSec: number; commandTimeoutMaxSec: number; outputLimit: number };
  context: { compactAt: number };
  skillPrecedence: "project-first" | "user-first";
  env: Record<string, string>;
  daemon: { idleMinutes: number | null };
};

/** 120 s and 50,000 characters: CONTRACT H4, H2; a time of its own per call may go up to ten minutes. */
export function defaultConfig(): ResolvedConfig {
  return {
    model: undefined,
    permissionMode: "ask",
    permissions: { additionalDirectories: [] },
    limits: { maxSteps: null, maxToolCalls: null, maxTokens: null, maxCostUsd: null, maxSeconds: null },
    models: {},
    sandbox: {
      network: { type: "gate", allow: [], deny: [], hosts: {}, privateAddresses: [] },
      allowRead: [],
      denyRead: [],
      allowSockets: [],
      limits: { memoryMb: null, processes: null, tmpMb: null, outputBytes: 1_000_000 },
    },
    tools: { commandTimeoutSec: 120, commandTimeoutMaxSec: 600, outputLimit: 50_000 },
    context: { compactAt: 0.8 },
    skillPrecedence: "project-first",
    env: {},
    daemon: { idleMinutes: 30 },
  };
}
