import type { Result, SandboxPolicy } from "../../protocol/ports.ts";
import type { Place } from "../../protocol/tool.ts";
import { type Approved, guardRead, guardWrite, NOTHING_APPROVED } from "../file-guard.ts";
import type { ReadLedger } from "./ledger.ts";

/** What a change looked like; `before` and `after` name stored bytes, `null` = no file (or too large to keep). */
export type ChangeRow = {
  path: string;
  before: string | null;
  after: string | null;
  mode: number | null;
};

/** What the file layer of one call is made of. */
export type FilesOptions = {
  policy: SandboxPolicy;
  place: Place;
  /** Shared by all calls of a session. */
  seen: ReadLedger;
  /** Stores bytes (content-addressed) and gives their hash. Called for files of at most 64 MiB. */
  storeBytes(bytes: Uint8Array): Promise<string>;
  /** Called after each change of one file, before its result is given. */
  onChange(row: ChangeRow): void | Promise<void>;
  signal: AbortSignal;
  approved?: Approved;
  /** Says what a change would do (the diff of an approval) and changes, stores and remembers nothing. */
  dryRun?: boolean;
};

/** Larger files are neither edited nor kept for undo. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export const readable = (options: FilesOptions, path: string): Promise<Result<string>> =>
  guardRead(options.policy, options.place, path, { approved: options.approved ?? NOTHING_APPROVED });

export const writable = (
  options: FilesOptions,
  path: string,
  final: "follow" | "keep" = "follow",
): Promise<Result<string>> =>
  guardWrite(options.policy, options.place, path, {
    approved: options.approved ?? NOTHING_APPROVED,
    final,
  });
