import type { JsonObject } from "../../protocol/ids.ts";
import type { RpcError, RpcResponse } from "../../protocol/rpc.ts";
import { AppError, errorMessage } from "../../shared/error.ts";

/** Codes of JSON-RPC 2.0 and ours; clients should look at `data.code`. */
export const RPC_CODE = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  application: -32000,
  notInitialized: -32002,
} as const;

/** An error object with our stable code beside JSON-RPC's number. */
export function rpcError(code: number, name: string, message: string, more: JsonObject = {}): RpcError {
  return { code, message, data: { ...more, code: name } };
}

/** What a client reads of something a handler threw. Bugs give no more than their message. */
export function errorOf(thrown: unknown): RpcError {
  if (thrown instanceof AppError) {
    return rpcError(RPC_CODE.application, thrown.code, thrown.message, { audience: thrown.audience });
  }
  return rpcError(RPC_CODE.internal, "internal", `internal error of the daemon: ${errorMessage(thrown)}`);
}

/** A response that carries an error. */
export function failure(id: RpcResponse["id"], error: RpcError): RpcResponse {
  return { jsonrpc: "2.0", id, error };
}
