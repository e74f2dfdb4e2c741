/** What was kept of a stream: `text` has a line in the place of what was left out. */
export type Kept = { text: string; totalBytes: number; cut: boolean };

/** Collects a stream in bounded memory: its beginning and its end are kept, the middle is only counted. */
export type BoundedBuffer = { push(chunk: Uint8Array): void; read(): Kept };

/** Keeps at most `limit` bytes: half of them from the beginning, half from the end. */
export function createBoundedBuffer(limit: number): BoundedBuffer {
  const headLimit = Math.ceil(limit / 2);
  const tailLimit = limit - headLimit;
  const head: Buffer[] = [];
  let headBytes = 0;
  let ring: Buffer | null = null;
  let written = 0;
  let total = 0;

  const pushTail = (chunk: Uint8Array): void => {
    if (tailLimit === 0) return;
    ring ??= Buffer.allocUnsafe(tailLimit);
    const part = chunk.length > tailLimit ? chunk.subarray(chunk.length - tailLimit) : chunk;
    written += chunk.length - part.length;
    const at = written % tailLimit;
    const first = Math.min(part.length, tailLimit - at);
    ring.set(part.subarray(0, first), at);
    ring.set(part.subarray(first), 0);
    written += part.length;
  };

  return {
    push(chunk) {
      total += chunk.length;
      const room = headLimit - headBytes;
      if (room > 0) {
        // A copy: a slice would hold the whole buffer it came in.
        const part = Buffer.from(chunk.subarray(0, room));
        head.push(part);
        headBytes += part.length;
      }
      if (chunk.length > room) pushTail(chunk.subarray(room));
    },
    read() {
      const begin = Buffer.concat(head, headBytes);
      if (ring === null) return { text: begin.toString("utf8"), totalBytes: total, cut: total > headBytes };
      const kept = Math.min(written, tailLimit);
      const at = written % tailLimit;
      const end =
        kept < tailLimit ? ring.subarray(0, kept) : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
      const missing = total - headBytes - kept;
      if (missing === 0)
        return { text: Buffer.concat([begin, end]).toString("utf8"), totalBytes: total, cut: false };
      const from = withoutHalfEnd(begin).toString("utf8");
      const to = withoutHalfStart(end).toString("utf8");
      return { text: `${from}\n[... ${missing} bytes left out ...]\n${to}`, totalBytes: total, cut: true };
    },
  };
}

/** Drops an incomplete UTF-8 sequence at the end. */
function withoutHalfEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Drops continuation bytes at the start. */
function withoutHalfStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
