import { defineTool } from "../define.ts";
import { textOutput } from "../support/output.ts";
import description from "./compact.md";

/** Asks for a compaction, which begins when all results of the step are stored. */
export const compactTool = defineTool({
  name: "compact",
  aliases: ["compress", "summarize_conversation"],
  description,
  parameters: {
    focus: { type: "string", description: "What the summary must not lose", aliases: ["instructions"] },
  },
  effect: "none",
  parallel: false,
  actions: () => [{ type: "session_state" }],
  async run({ focus }, context) {
    context.compact(focus ?? null);
    return textOutput("Compressing...");
  },
});
