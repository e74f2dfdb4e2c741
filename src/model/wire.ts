import type { JsonObject } from "../protocol/ids.ts";
import type { StopReason, Usage } from "../protocol/message.ts";
import type { ModelRef, ModelRequest } from "../protocol/model-port.ts";
import type { Failure } from "./failure.ts";
import type { Reply } from "./reply.ts";

/** A credential as it was found. */
export type Credential = { name: string; value: string };

/** What a service said at the end of a message. */
export type Ending = { stopReason: StopReason; note?: string };

/** Reads one answer into a reply; made new for each request. */
export type Decoder = {
  /** One event of the stream, its data parsed. Returns a failure when the service reports one. */
  event(name: string, data: unknown): Failure | null;
  /** `data:` that is no JSON by design (`[DONE]`); true when it was understood. */
  word(data: string): boolean;
  /** The whole answer as one document, from services that do not stream. */
  document(body: unknown): Failure | null;
  /** True once the service has said that nothing follows. */
  closed(): boolean;
  /** How the message ended; null while it is not complete. To be asked at the end of the stream. */
  ending(): Ending | null;
  /** Tokens as far as they were told. */
  usage(): Omit<Usage, "cost"> & { cost?: number };
};

/** One provider family's language. Requests are translated deterministically: equal in, equal bytes out. */
export type Wire = {
  url(baseUrl: string): string;
  headers(credential: Credential | null): Record<string, string>;
  body(model: ModelRef, request: ModelRequest): JsonObject;
  decoder(reply: Reply, model: ModelRef): Decoder;
};

/** A JSON object of which nothing is known. */
export type Loose = { [key: string]: unknown };

export const asObject = (value: unknown): Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
export const asList = (value: unknown): Loose[] => (Array.isArray(value) ? value.map(asObject) : []);
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");
