import { get } from "node:http";
import { ollamaUrl } from "./resolve.ts";

export type LocalServer = { provider: string; baseUrl: string; models: string[] };

/** Where model servers on this machine usually listen. */
export const LOCAL_PORTS: Record<string, number> = {
  ollama: 11434,
  lmstudio: 1234,
  llamacpp: 8080,
  vllm: 8000,
};

const PROBE_MS = 300;
const ANSWER_BYTES = 1024 * 1024;

/**
 * Asks the usual ports of this machine for their models, all at once, 300 ms at most. `ports` by provider
 * replaces the usual ones; a port that answers anything but a list of models is no model server.
 */
export async function findLocalServers(
  signal: AbortSignal,
  ports: Record<string, number> = LOCAL_PORTS,
): Promise<LocalServer[]> {
  const found = await Promise.all(
    Object.entries(ports).map(async ([provider, port]) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const models = await listModels(baseUrl, signal);
      return models ? [{ provider, baseUrl, models }] : [];
    }),
  );
  return found.flat();
}

/** What to tell a user who has no key: the servers found, or exactly what to set. */
export function describeLocalServers(servers: LocalServer[]): string {
  const usable = servers.filter((server) => server.models.length > 0);
  if (usable.length > 0) {
    const lines = usable.map(({ provider, models }) => `  lathe --model ${provider}/${models[0]}`);
    return ["A model server runs on this machine. Use it without a key:", ...lines].join("\n");
  }
  const empty = servers[0];
  if (empty) {
    const get = empty.provider === "ollama" ? "ollama pull qwen3-coder" : "load a model in it";
    return `${empty.provider} runs at ${empty.baseUrl} but has no model: ${get}, then pass --model ${empty.provider}/NAME`;
  }
  return [
    "No model key and no model server on this machine. One of these will do:",
    "  export ANTHROPIC_API_KEY=...    (Claude)",
    "  export OPENAI_API_KEY=...       (OpenAI)",
    `  export OPENAI_BASE_URL=...      (any compatible server, for example ${ollamaUrl("127.0.0.1")})`,
    "  ollama serve, then: lathe --model ollama/NAME",
  ].join("\n");
}

function listModels(baseUrl: string, signal: AbortSignal): Promise<string[] | null> {
  return new Promise((done) => {
    const asked = get(`${baseUrl}/models`, { signal, agent: false, timeout: PROBE_MS }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > ANSWER_BYTES) asked.destroy();
      });
      answer.on("end", () => done(answer.statusCode === 200 ? namesIn(text) : null));
      answer.on("error", () => done(null));
    });
    const timer = setTimeout(() => asked.destroy(), PROBE_MS);
    asked.on("close", () => {
      clearTimeout(timer);
      done(null);
    });
    asked.on("error", () => done(null));
  });
}

function namesIn(text: string): string[] | null {
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    if (!Array.isArray(data)) return null;
    return data.map((item: { id?: unknown } | null) => item?.id).filter((id) => typeof id === "string");
  } catch {
    return null;
  }
}
