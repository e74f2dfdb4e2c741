import type { CommandResult, SandboxPort } from "../protocol/ports.ts";
export function runWithPolicyFile(_params: unknown, _sandbox: SandboxPort, _ports: unknown): Promise<CommandResult> {
  throw new Error("coming with the sandbox room");
}
