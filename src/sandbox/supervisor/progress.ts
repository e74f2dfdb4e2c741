import { StringDecoder } from "node:string_decoder";

/** Up to this many bytes everything is shown; of more, samples. */
const WHOLE_BYTES = 256 * 1024;
const SAMPLE_BYTES = 2048;
const SAMPLE_EVERY_MS = 100;

/** Passes output on as text while it is little, and then only the end of a piece now and again. */
export function createProgress(show: (text: string) => void, now: () => number): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let shown = 0;
  let last = 0;
  return (chunk) => {
    shown += chunk.length;
    if (shown <= WHOLE_BYTES) {
      const text = decoder.write(chunk);
      if (text !== "") show(text);
      return;
    }
    const at = now();
    if (at - last < SAMPLE_EVERY_MS) return;
    last = at;
    show(chunk.subarray(-SAMPLE_BYTES).toString("utf8"));
  };
}
