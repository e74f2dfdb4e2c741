import type { Json } from "../../protocol/ids.ts";
import type { MethodName, RpcResponse } from "../../protocol/rpc.ts";
import { isMethod, parseParams } from "../../protocol/schema/parse-params.ts";
import { AppError } from "../../shared/error.ts";
import type { Connection, Handlers, ServerLog } from "./handlers.ts";
import { errorOf, failure, RPC_CODE, rpcError } from "./rpc-errors.ts";

/** A message that has the form of a request or notification. */
export type Call = { id: RpcResponse["id"] | undefined; method: string; params: unknown };

/** What answering needs from the connection. */
export type Desk = {
  connection: Connection;
  handlers: Handlers;
  log: ServerLog;
  /** Why this method may not be called now, or null. Waits for an `initialize` under way. */
  refusal(method: MethodName): Promise<{ code: number; name: string; message: string } | null>;
  /** Around every accepted call, so that the connection knows what is under way. */
  began(method: MethodName, params: unknown): void;
};

/** Reads one parsed line as calls: a request, a notification, or a batch of them. */
export function readCalls(message: unknown): { batch: boolean; items: (Call | RpcResponse)[] } {
  if (!Array.isArray(message)) return { batch: false, items: [readCall(message)] };
  if (message.length === 0) return { batch: false, items: [invalid("an empty batch holds nothing to do")] };
  if (message.length > MAX_BATCH) {
    return {
      batch: false,
      items: [invalid(`a batch may hold ${MAX_BATCH} messages, not ${message.length}`)],
    };
  }
  return { batch: true, items: message.map(readCall) };
}

const MAX_BATCH = 100;

function readCall(message: unknown): Call | RpcResponse {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return invalid("a message must be a JSON object");
  }
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  const known = typeof id === "string" || typeof id === "number" || id === null;
  if (id !== undefined && !known) return invalid('"id" must be a string or a number');
  const answerTo = known ? id : null;
  if (jsonrpc !== "2.0") return invalid('"jsonrpc" must be "2.0"', answerTo);
  if (typeof method !== "string") return invalid('"method" must be a string', answerTo);
  return { id: known ? id : undefined, method, params };
}

function invalid(message: string, id: RpcResponse["id"] = null): RpcResponse {
  return failure(id, rpcError(RPC_CODE.invalidRequest, "invalid_request", message));
}

/** Carries out one call. Never rejects; every failure is an error response. */
export async function answerCall(call: Call, desk: Desk): Promise<RpcResponse> {
  const id = call.id ?? null;
  if (!isMethod(call.method)) {
    return failure(
      id,
      rpcError(RPC_CODE.unknownMethod, "unknown_method", `there is no method ${spell(call.method)}`),
    );
  }
  try {
    const refused = await desk.refusal(call.method);
    if (refused) return failure(id, rpcError(refused.code, refused.name, refused.message));
    return await carryOut(id, call.method, call.params, desk);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) {
      desk.log("error", `${call.method} failed: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
    }
    return failure(id, errorOf(thrown));
  }
}

async function carryOut<M extends MethodName>(
  id: RpcResponse["id"],
  method: M,
  params: unknown,
  desk: Desk,
): Promise<RpcResponse> {
  const parsed = parseParams(method, params);
  if (!parsed.ok) return failure(id, rpcError(RPC_CODE.invalidParams, "invalid_params", parsed.error));
  desk.began(method, parsed.value);
  const result = await desk.handlers[method](parsed.value, desk.connection);
  return { jsonrpc: "2.0", id, result: result as Json };
}

function spell(method: string): string {
  return JSON.stringify(method.length > 100 ? `${method.slice(0, 100)}…` : method);
}
