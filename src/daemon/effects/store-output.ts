import type { CallId } from "../../protocol/ids.ts";
import type { ToolResultBlock } from "../../protocol/message.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import { errorMessage } from "../../shared/error.ts";
import { cutText, wellFormed } from "../../shared/text.ts";
import type { EffectPorts } from "./effect-ports.ts";

/** Hard bound of one result's text, whatever the tool did (CONTRACT F2, H2 stay below it). */
const MAX_RESULT_CHARS = 100_000;
/** A whole output is kept as a blob up to here; beyond it the head is. */
const MAX_FULL_BYTES = 1_000_000;

/** Bounds an output and stores its whole text as a blob; a full disk costs the blob, not the result. */
export async function storeOutput(
  callId: CallId,
  output: ToolOutput,
  signal: AbortSignal,
  ports: EffectPorts,
): Promise<ToolResultBlock> {
  const content = output.content.map((block) =>
    block.type === "text"
      ? { ...block, text: wellFormed(cutText(block.text, MAX_RESULT_CHARS, "\n[cut]")) }
      : block,
  );
  const result: ToolResultBlock = {
    type: "tool_result",
    callId,
    status: signal.aborted && output.status === "error" ? "interrupted" : output.status,
    content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
    display: output.display,
  };
  if (output.fullText === undefined) return result;
  const bytes = typeof output.fullText === "string" ? Buffer.from(output.fullText) : output.fullText;
  try {
    result.full = await ports.store.putBlob(bytes.subarray(0, MAX_FULL_BYTES), "text/plain");
  } catch (error) {
    ports.log("warning", `the whole output of a call could not be stored: ${errorMessage(error)}`);
  }
  return result;
}
