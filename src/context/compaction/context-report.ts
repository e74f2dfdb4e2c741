import type { Message } from "../../protocol/message.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import type { Methods } from "../../protocol/rpc.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { estimateTokens } from "../estimate.ts";
import { INSTRUCTIONS_TITLE } from "../system-prompt/build.ts";
import { blockTokens, contextBudget, contextSize } from "./context-size.ts";
import { shownHistory } from "./shown-history.ts";

type Report = Methods["session.context"]["result"];
type Part = Report["parts"][number]["name"];

/** What fills the window, part by part. `prefix` null: nothing was sent yet. */
export function contextReport(input: {
  chain: readonly Message[];
  prefix: { system: string; tools: ToolSpec[] } | null;
  model: ModelRef;
  compactAt: number;
}): Report {
  const { prefix, model } = input;
  const shown = shownHistory(input.chain);
  const parts = new Map<Part, number>();
  const add = (name: Part, tokens: number): void => void parts.set(name, (parts.get(name) ?? 0) + tokens);
  if (prefix) {
    const at = prefix.system.lastIndexOf(INSTRUCTIONS_TITLE);
    const system = at < 0 ? prefix.system : prefix.system.slice(0, at);
    add("system", estimateTokens(system));
    add("tools", estimateTokens(JSON.stringify(prefix.tools)));
    if (at >= 0) add("instructions", estimateTokens(prefix.system.slice(at)));
  }
  for (const message of shown.messages) {
    for (const block of message.content) add(partOf(message, block.type), blockTokens(block));
  }
  const { tokens, estimate } = contextSize(shown, prefix ?? { system: "", tools: [] }, model.id);
  return {
    model: model.id,
    window: model.contextWindow,
    compactsAt: contextBudget(model, input.compactAt),
    used: tokens,
    measured: tokens !== estimate,
    parts: [...parts].map(([name, count]) => ({ name, tokens: count })),
  };
}

function partOf(message: Message, type: Message["content"][number]["type"]): Part {
  if (type === "tool_result") return "results";
  if (type === "tool_call") return "calls";
  if (type === "image") return "images";
  if (message.kind === "summary") return "summary";
  return message.role === "user" ? "prompts" : "replies";
}
