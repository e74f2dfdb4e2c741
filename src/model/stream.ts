import type { ModelEvent, ModelPort } from "../protocol/model-port.ts";
import { call } from "./call.ts";
import { createAgents } from "./http/agents.ts";

/** A model port with its connections. */
export type ModelConnections = ModelPort & {
  /** Closes all connections. */
  close(): void;
};

/**
 * The models' port over HTTP. Connections are kept alive between calls and shared by all sessions; idle ones do
 * not keep the process running. `bodyLimit`: bytes of one answer, default 10 MiB.
 */
export function createModelPort(options: { bodyLimit?: number } = {}): ModelConnections {
  const agents = createAgents();
  const bodyLimit = options.bodyLimit ?? 10 * 1024 * 1024;
  return {
    stream: (asked): AsyncIterable<ModelEvent> => call(asked, agents, bodyLimit),
    close: agents.close,
  };
}
