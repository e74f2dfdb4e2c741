import { sealProblem } from "../seal.ts";
import {
  blank,
  dataUrlProblems,
  idCollector,
  type Loose,
  listOf,
  pairingProblems,
  toolProblems,
} from "./common.ts";
import { isObjectText } from "./openai-chat.ts";

/** What the Responses API refuses of a client that keeps the conversation itself (`store: false`). */
export function openaiResponsesProblems(body: Loose, prefill: boolean): string[] {
  const problems: string[] = [];
  if (typeof body.model !== "string" || body.model === "") problems.push("model is missing");
  if (body.store !== false) problems.push("store is not false");
  problems.push(
    ...toolProblems(listOf(body.tools).map((tool) => ({ name: tool.name, schema: tool.parameters }))),
  );
  const items = listOf(body.input);
  if (items.length === 0) problems.push("input is empty");
  const collect = idCollector(problems);
  let open: string[] = [];
  let answered: string[] = [];
  const settle = (place: string): void => {
    problems.push(...pairingProblems(open, answered, place));
    open = [];
    answered = [];
  };
  for (const [index, item] of items.entries()) {
    const place = `input[${index}]`;
    problems.push(...itemProblems(item, String(body.model), place));
    if (item.type === "function_call_output") answered.push(String(item.call_id));
    else {
      // Calls of one answer may have reasoning or text between them, but nothing after the first result.
      if (answered.length > 0 || (open.length > 0 && item.role === "user")) settle(place);
      if (item.type === "function_call") open.push(collect(item.call_id, place));
    }
    if (item.type === "reasoning" && items[index + 1] === undefined)
      problems.push(`${place}: reasoning without what followed it`);
  }
  settle("end of input");
  if (items.at(-1)?.role === "assistant" && !prefill)
    problems.push("the conversation ends with an assistant message");
  return problems;
}

function itemProblems(item: Loose, model: string, place: string): string[] {
  switch (item.type) {
    case "function_call":
      return isObjectText(item.arguments)
        ? []
        : [`${place}: arguments of ${String(item.call_id)} are no JSON object text`];
    case "function_call_output":
      return typeof item.output === "string" ? [] : partProblems(listOf(item.output), place);
    case "reasoning": {
      const problem = sealProblem(item.encrypted_content, model, reasoningText(item));
      return problem ? [`${place}: ${problem}`] : [];
    }
    case "message":
    case undefined:
      if (item.role !== "user" && item.role !== "assistant")
        return [`${place}: unknown role ${String(item.role)}`];
      if (typeof item.content === "string") return blank(item.content) ? [`${place}: empty content`] : [];
      return partProblems(listOf(item.content), place);
    default:
      return [`${place}: unknown item type ${String(item.type)}`];
  }
}

const reasoningText = (item: Loose): string =>
  listOf(item.summary)
    .map((part) => String(part.text))
    .join("");

function partProblems(parts: Loose[], place: string): string[] {
  if (parts.length === 0) return [`${place}: no content`];
  return parts.flatMap((part) => {
    if (part.type === "input_image") return dataUrlProblems(part.image_url, place);
    if (part.type !== "input_text" && part.type !== "output_text")
      return [`${place}: unknown part type ${String(part.type)}`];
    return blank(part.text) ? [`${place}: empty text part`] : [];
  });
}
