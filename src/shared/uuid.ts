import { closeSync, openSync, readSync } from "node:fs";

let lastTime = 0;
let counter = 0;

/** Random bytes are fetched for many ids at once: one call costs more than a hundred ids. */
const POOL_BYTES = 2048;
let pool: Buffer = Buffer.alloc(0);
let used = 0;

/** From the kernel itself where it can be: `node:crypto` costs a client's start some milliseconds. */
function fill(bytes: Buffer): Buffer {
  let descriptor: number | null = null;
  try {
    descriptor = openSync("/dev/urandom", "r");
    if (readSync(descriptor, bytes) === bytes.length) return bytes;
  } catch {
    // No such device here.
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
  return process.getBuiltinModule("node:crypto").randomFillSync(bytes);
}

/** Sixteen bytes that no other id gets. */
function freshBytes(): Buffer {
  if (used + 16 > pool.length) {
    pool = fill(Buffer.alloc(POOL_BYTES));
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

/** A UUIDv7 (RFC 9562): sorts by creation time; strictly increasing within this process. */
export function uuidv7(now: number): string {
  const bytes = freshBytes();
  if (now > lastTime) {
    lastTime = now;
    counter = bytes.readUInt16BE(6) & 0x07ff;
  } else if (++counter > 0x0fff) {
    lastTime += 1;
    counter = 0;
  }
  bytes.writeUIntBE(lastTime, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** True for any UUID in the usual spelling. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
