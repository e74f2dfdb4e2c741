import { expandMentions } from "../../context/mentions/expand.ts";
import { promptReminders } from "../../context/reminders/prompt-reminders.ts";
import type { ContentBlock, ImageBlock } from "../../protocol/message.ts";
import type { PromptPart } from "../../protocol/rpc.ts";
import { AppError } from "../../shared/error.ts";
import { inspectImage } from "../../shared/image.ts";
import { wellFormed } from "../../shared/text.ts";
import { findTool } from "../../tools/registry.ts";
import type { EffectPorts } from "../effects/effect-ports.ts";
import { calledSkill } from "../effects/skill-access.ts";
import { buildToolContext } from "../effects/tool-context.ts";
import type { SessionRuntime } from "./session-runtime.ts";

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** A prompt as it is stored: the user's words and images, files that it mentions, then what has changed. */
export async function promptContent(
  parts: readonly PromptPart[],
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<ContentBlock[]> {
  const content: ContentBlock[] = [];
  const mentioned: ContentBlock[] = [];
  for (const part of parts) {
    if (part.type === "image") {
      content.push(await storeImage(part, ports));
      continue;
    }
    const text = wellFormed(part.text);
    if (text.trim() !== "") content.push({ type: "text", text });
    const skill = content.length === 1 ? await calledSkill(text, runtime, ports) : null;
    if (skill !== null) content.push({ type: "text", text: wellFormed(skill) });
    mentioned.push(...(await expandMentions({ text, place: runtime.place, ...readers(runtime, ports) })));
  }
  if (content.length === 0) throw new AppError("bad_input", "the prompt is empty");
  const reminders = promptReminders({
    now: ports.clock.now(),
    timeZone: runtime.environment.TZ,
    mode: runtime.actor.state.mode,
    toldMode: runtime.toldMode,
  });
  runtime.toldMode = runtime.actor.state.mode;
  return [...content, ...mentioned, ...reminders.map((text) => ({ type: "reminder" as const, text }))];
}

/** The file tools' own ports, with the rights of a read that the user asked for. */
function readers(runtime: SessionRuntime, ports: EffectPorts) {
  const tool = findTool("read_file");
  if (!tool) throw new AppError("internal", "read_file is missing", { audience: "developer" });
  const { context } = buildToolContext(
    {
      effect: {
        type: "run_tool",
        effectId: "mentions",
        runId: "",
        call: { type: "tool_call", id: "mentions", name: "read_file", input: {} },
        approvalId: null,
        interactive: false,
      },
      tool,
      rights: {
        profile: "read-only",
        approved: false,
        actions: [],
        extraRoots: [],
        gitConfig: "pinned",
        unsandboxed: false,
      },
      signal: AbortSignal.timeout(10_000),
      facts: [],
    },
    runtime,
    ports,
  );
  return { files: context.files, search: context.search, image: context.image };
}

async function storeImage(
  part: Extract<PromptPart, { type: "image" }>,
  ports: EffectPorts,
): Promise<ImageBlock> {
  const bytes = Buffer.from(part.base64, "base64");
  const name = part.name ?? "the image";
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new AppError(
      "bad_input",
      `${name} is ${Math.round(bytes.length / 1e6)} MB; models take at most 5 MB`,
    );
  }
  const image = inspectImage(bytes);
  if (!image.ok) throw new AppError("bad_input", `${name} cannot be read as an image: ${image.problem}`);
  const blob = await ports.store.putBlob(bytes, image.mediaType);
  return { type: "image", blob, width: image.width, height: image.height, name: part.name };
}
