import { sliceWhole } from "../../shared/text.ts";
import { defineTool } from "../define.ts";
import { portFailure, textOutput } from "../support/output.ts";
import description from "./recall-result.md";

const PIECE_CHARS = 20_000;

/** Reads back what a compaction left out of the conversation. */
export const recallResultTool = defineTool({
  name: "recall_result",
  aliases: ["recall"],
  description,
  parameters: {
    id: { type: "string", required: true, minLength: 1, aliases: ["call_id", "result_id", "message_id"] },
    offset: { type: "integer", minimum: 0, description: "Character to go on from", aliases: ["start"] },
  },
  effect: "none",
  parallel: true,
  actions: () => [{ type: "session_state" }],
  async run({ id, offset = 0 }, context) {
    const found = await context.recall.read(id.trim());
    if (!found.ok) return portFailure(found.error);
    const { text, images } = found.value;
    const size = Math.min(PIECE_CHARS, context.settings.outputLimitChars);
    const piece = sliceWhole(text, offset, offset + size);
    const end = offset + piece.length;
    const all = offset === 0 && end >= text.length;
    const more = end < text.length ? `; go on with offset ${end}` : "";
    const output = textOutput(
      all ? text : `${piece}\n(characters ${offset} to ${end} of ${text.length}${more})`,
    );
    return { ...output, content: [...output.content, ...(offset === 0 ? images : [])] };
  },
});
