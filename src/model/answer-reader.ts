import type { Reply } from "./reply.ts";
import type { Watch } from "./watch.ts";
import type { Decoder } from "./wire.ts";

/** What reading an answer takes. */
export type AnswerReader = {
  decoder: Decoder;
  reply: Reply;
  watch: Watch;
  /** Bytes of one answer. */
  bodyLimit: number;
  /** Name of the credential that was sent. */
  keyHint: string | null;
};
