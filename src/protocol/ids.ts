/** Identifiers are UUIDv7 strings: they sort by creation time. The aliases say which kind is meant. */
export type SessionId = string;
/** One execution of a turn by one agent. */
export type RunId = string;
export type MessageId = string;
/** Our own id of a tool call; providers' ids are translated at the model edge. */
export type CallId = string;
/** Names one running effect, so that a late answer to an old effect is dropped. */
export type EffectId = string;
/** Chosen by a client; a repeated command with the same id is answered, not carried out again. */
export type CommandId = string;
export type ApprovalId = string;

/** Milliseconds since the epoch, always an integer. */
export type Millis = number;

/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
