import type { IncomingHttpHeaders } from "node:http";
import { sealProblem } from "../seal.ts";
import {
  blank,
  idCollector,
  imageProblems,
  isObject,
  type Loose,
  listOf,
  pairingProblems,
  toolProblems,
} from "./common.ts";

/** What the real Messages API would refuse, and what a careful client never sends. */
export function anthropicProblems(body: Loose, headers: IncomingHttpHeaders, prefill: boolean): string[] {
  const problems: string[] = [];
  if (headers["anthropic-version"] !== "2023-06-01")
    problems.push("header anthropic-version is not 2023-06-01");
  if (typeof body.model !== "string" || body.model === "") problems.push("model is missing");
  if (!Number.isInteger(body.max_tokens) || (body.max_tokens as number) < 1)
    problems.push("max_tokens is missing");
  for (const block of listOf(body.system)) if (blank(block.text)) problems.push("system: empty text block");
  problems.push(
    ...toolProblems(listOf(body.tools).map((tool) => ({ name: tool.name, schema: tool.input_schema }))),
  );
  const marks = (JSON.stringify(body).match(/"cache_control":/g) ?? []).length;
  if (marks > 4) problems.push(`${marks} cache marks, at most 4 are allowed`);
  const messages = listOf(body.messages);
  if (messages.length === 0) problems.push("messages is empty");
  problems.push(...conversationProblems(messages, String(body.model), prefill));
  return problems;
}

function conversationProblems(messages: Loose[], model: string, prefill: boolean): string[] {
  const problems: string[] = [];
  const collect = idCollector(problems);
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    const expected = index % 2 === 0 ? "user" : "assistant";
    if (message.role !== expected)
      problems.push(`${place}: role ${String(message.role)}, expected ${expected}`);
    const blocks = blocksOf(message, place, problems);
    const answered = blocks
      .filter((block) => block.type === "tool_result")
      .map((block) => String(block.tool_use_id));
    problems.push(...pairingProblems(open, answered, place));
    open = blocks.filter((block) => block.type === "tool_use").map((block) => collect(block.id, place));
    problems.push(...orderProblems(blocks, place));
    for (const block of blocks) problems.push(...blockProblems(block, message.role, model, place));
  }
  if (open.length > 0) problems.push(`the last message leaves calls open: ${open.join(", ")}`);
  if (messages.at(-1)?.role === "assistant" && !prefill)
    problems.push("the conversation ends with an assistant message");
  return problems;
}

function blocksOf(message: Loose, place: string, problems: string[]): Loose[] {
  if (typeof message.content === "string") {
    if (blank(message.content)) problems.push(`${place}: empty content`);
    return [];
  }
  const blocks = listOf(message.content);
  if (blocks.length === 0) problems.push(`${place}: no content`);
  return blocks;
}

function orderProblems(blocks: Loose[], place: string): string[] {
  const firstOther = blocks.findIndex((block) => block.type !== "tool_result");
  const lastResult = blocks.findLastIndex((block) => block.type === "tool_result");
  return firstOther >= 0 && lastResult > firstOther
    ? [`${place}: a tool result comes after other content`]
    : [];
}

function blockProblems(block: Loose, role: unknown, model: string, place: string): string[] {
  switch (block.type) {
    case "text":
      return blank(block.text) ? [`${place}: empty text block`] : [];
    case "image": {
      const source = isObject(block.source) ? block.source : {};
      return imageProblems(source.media_type, source.data, place);
    }
    case "tool_use":
      return [
        ...(role === "assistant" ? [] : [`${place}: tool_use in a ${String(role)} message`]),
        ...(isObject(block.input) ? [] : [`${place}: input of call ${String(block.id)} is no object`]),
      ];
    case "tool_result": {
      const inside = listOf(block.content).flatMap((item) =>
        blockProblems(item, role, model, `${place} result`),
      );
      return role === "user" ? inside : [`${place}: tool_result in a ${String(role)} message`, ...inside];
    }
    case "thinking": {
      const problem = sealProblem(
        block.signature,
        model,
        typeof block.thinking === "string" ? block.thinking : null,
      );
      return problem ? [`${place}: ${problem}`] : [];
    }
    case "redacted_thinking": {
      const problem = sealProblem(block.data, model, null);
      return problem ? [`${place}: ${problem}`] : [];
    }
    default:
      return [`${place}: unknown block type ${String(block.type)}`];
  }
}
