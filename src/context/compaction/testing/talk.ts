import type { ContentBlock, Message, Usage } from "../../../protocol/message.ts";
import type { ModelRef } from "../../../protocol/model-port.ts";
import { createRequestBuilder, type RequestBuilder } from "../../request/build.ts";
import { type CompactedParts, compactedCut, type MadeCut, trimCut } from "../make-cut.ts";
import { shownHistory } from "../shown-history.ts";
import { planTrim } from "../trim.ts";

export const MODEL: ModelRef = {
  id: "test/model",
  provider: "test",
  model: "model",
  wire: "anthropic",
  baseUrl: "http://127.0.0.1",
  keyNames: [],
  contextWindow: 64_000,
  maxOutput: 8000,
  images: true,
  price: null,
};

export const PREFIX = { system: "You are a test.", tools: [] };

/** A stored conversation that grows as the engine lets it grow. */
export type Talk = {
  chain: Message[];
  /** The user's prompts so far. */
  prompts: string[];
  prompt(text: string): Message;
  /** A reply with text; with results it calls as many tools and gets them. */
  step(text: string, results?: string[], usage?: Usage): void;
  /** Appends the message of a cut, as the daemon does. */
  cut(made: MadeCut): void;
  trim(all?: boolean): boolean;
  compact(index: number, more?: Partial<CompactedParts>): MadeCut | null;
  /** What a model would be sent; the builder is the session's own unless another is given. */
  request(builder?: RequestBuilder): ReturnType<RequestBuilder["build"]>;
};

export function startTalk(): Talk {
  const chain: Message[] = [];
  const own = createRequestBuilder();
  const prompts: string[] = [];
  let count = 0;
  const add = (part: Pick<Message, "role" | "kind" | "origin" | "content"> & Partial<Message>): Message => {
    count += 1;
    const parentId = chain.at(-1)?.id ?? null;
    const message = { id: `m-${count}.`, sessionId: "s", parentId, runId: "r", createdAt: count, ...part };
    chain.push(message);
    return message;
  };
  const talk: Talk = {
    chain,
    prompts,
    prompt(text) {
      prompts.push(text);
      return add({ role: "user", kind: "prompt", origin: "user", content: [{ type: "text", text }] });
    },
    step(text, results = [], usage) {
      const ids = results.map((_, index) => `call-${count + 1}-${index}`);
      const calls: ContentBlock[] = ids.map((id) => ({ type: "tool_call", id, name: "bash", input: { id } }));
      const content: ContentBlock[] = [{ type: "text", text }, ...calls];
      const more = usage ? { usage } : {};
      add({ role: "assistant", kind: "reply", origin: "model", content, model: MODEL.id, ...more });
      if (results.length === 0) return;
      const answers = results.map((result, index) => ({
        type: "tool_result" as const,
        callId: ids[index] ?? "",
        status: index % 3 === 2 ? ("error" as const) : ("ok" as const),
        content: [{ type: "text" as const, text: result }],
      }));
      add({ role: "user", kind: "tool_results", origin: "harness", content: answers });
    },
    cut: ({ content, cut }) => {
      add({ role: "user", kind: "summary", origin: "harness", content, cut });
    },
    trim(all = false) {
      const trim = planTrim(shownHistory(chain).messages, all);
      if (trim) talk.cut(trimCut(trim, true));
      return trim !== null;
    },
    compact(index, more = {}) {
      const made = compactedCut({
        shown: shownHistory(chain).messages,
        index,
        summary: `summary ${count}`,
        transcript: "/state/transcript_1_abcdefgh.jsonl",
        trigger: "auto",
        tokensBefore: 1,
        trimThrough: null,
        changes: [],
        lists: [],
        reminders: [],
        cwd: "/work",
        promptBudget: 1000,
        ...more,
      });
      if (made) talk.cut(made);
      return made;
    },
    request: (builder = own) =>
      builder.build({
        messages: chain,
        prefix: PREFIX,
        model: MODEL,
        loadBlob: async () => null,
        cacheKey: "s",
        purpose: "step",
      }),
  };
  return talk;
}
