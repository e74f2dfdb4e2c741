import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AppError, errorMessage } from "../../shared/error.ts";
import { createGate } from "./gate.ts";
import { play } from "./player.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { validateRequest } from "./strict/validate.ts";
import { turnSource } from "./turn-source.ts";
import type { RecordedRequest, ScriptedModel, ScriptedModelOptions, ScriptedWire, Turn } from "./types.ts";
import type { WireEncoder } from "./wire.ts";
import { anthropicEncoder } from "./wire-anthropic.ts";
import { openaiChatEncoder } from "./wire-openai-chat.ts";
import { openaiResponsesEncoder } from "./wire-openai-responses.ts";

const ENCODERS: Record<ScriptedWire, WireEncoder> = {
  anthropic: anthropicEncoder,
  "openai-chat": openaiChatEncoder,
  "openai-responses": openaiResponsesEncoder,
};

/**
 * Starts a model server on 127.0.0.1 that plays a script (types.ts) on the Anthropic Messages, OpenAI Chat and
 * OpenAI Responses wires and records every request. The caller closes it.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const sockets = new Map<Socket, number>();
  const others: string[] = [];
  const recorder = createRecorder();
  const gate = createGate();
  const answer = answerer(options, recorder, gate.hold);
  const server = createServer((message, response) => {
    const path = (message.url ?? "/").split("?")[0] ?? "/";
    const wire = message.method === "POST" ? wireOf(path) : null;
    if (wire === null) {
      others.push(`${message.method} ${path}`);
      message.resume();
      sendOther(path, options.models ?? ["scripted-model"], response);
      return;
    }
    const about = { wire, path, connection: sockets.get(message.socket) ?? -1 };
    readBody(message)
      .then((raw) => recorder.record(message, raw, about))
      .then((request) => answer(request, response))
      .catch((error) => {
        recorder.problems.push(`the server failed: ${errorMessage(error)}`);
        response.destroy();
      });
  });
  server.keepAliveTimeout = 60_000;
  let connections = 0;
  server.on("connection", (socket) => {
    sockets.set(socket, connections++);
    socket.on("close", () => sockets.delete(socket));
  });
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: recorder.requests,
    others,
    problems: recorder.problems,
    release: gate.release,
    waitForRequest: recorder.waitFor,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets.keys()) socket.destroy();
      }),
  };
}

type Answer = (request: RecordedRequest, response: ServerResponse) => Promise<void>;

function answerer(
  options: ScriptedModelOptions,
  { problems, now }: Recorder,
  hold: (signal: AbortSignal) => Promise<void>,
): Answer {
  const next = turnSource(options.script);
  const strict = options.strict === true ? {} : options.strict || null;
  let paused = false;
  return async (request, response) => {
    const encoder = ENCODERS[request.wire];
    const gone = new AbortController();
    response.on("finish", () => {
      request.answeredAt = now();
    });
    response.on("close", () => {
      request.aborted = !response.writableFinished;
      gone.abort();
    });
    options.onRequest?.(request);
    const refuse = (message: string): void => {
      const body = JSON.stringify(encoder.errorBody("invalid_request_error", message));
      response.writeHead(400, { "content-type": "application/json" }).end(body);
    };
    if (strict) {
      request.problems = validateRequest(request, strict, paused);
      problems.push(...request.problems.map((problem) => `request ${request.index + 1}: ${problem}`));
      if (request.problems.length > 0) return refuse(request.problems.join("; "));
    }
    const turn: Turn | null = await next(request, request.index);
    if (!turn) {
      problems.push(`request ${request.index + 1}: the script has no turn for it`);
      return refuse(`the script has no turn for request ${request.index + 1}`);
    }
    paused = turn.stop === "pause_turn" || (paused && (turn.error !== undefined || turn.cut !== undefined));
    await play(turn, {
      response,
      encoder,
      request,
      number: request.index,
      signal: gone.signal,
      hold: () => hold(gone.signal),
    });
  };
}

function wireOf(path: string): ScriptedWire | null {
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/chat/completions")) return "openai-chat";
  return path.endsWith("/responses") ? "openai-responses" : null;
}

function sendOther(path: string, models: string[], response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  if (path.endsWith("/models")) {
    const data = models.map((id) => ({ id, object: "model", created: 0, owned_by: "script" }));
    response.end(JSON.stringify({ object: "list", data }));
    return;
  }
  response
    .writeHead(404)
    .end(JSON.stringify({ error: { type: "not_found_error", message: `no such path: ${path}` } }));
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once("error", (error) =>
      failed(
        new AppError("port_in_use", `Cannot listen on 127.0.0.1:${port}: ${error.message}`, { cause: error }),
      ),
    );
    server.listen(port, "127.0.0.1", done);
  });
}
