import { isAbsolute, join, normalize, relative } from "node:path";
import type { ContentBlock } from "../../protocol/message.ts";
import type { FileKind, FilePort, PortError, SearchPort } from "../../protocol/ports.ts";
import type { Place, ToolContext } from "../../protocol/tool.ts";
import { fitImage } from "../../shared/fit-image.ts";
import { findMentions, type Mention, type MentionReading } from "./find-mentions.ts";
import { folderText, sliceText } from "./mention-text.ts";

export type MentionPorts = {
  files: Pick<FilePort, "kind" | "readText" | "readBytes">;
  search: Pick<SearchPort, "list">;
  /** Stores a picture and gives its block. */
  image: ToolContext["image"];
};

const FILE_CHARS = 30_000;
const TOTAL_CHARS = 80_000;
const FOLDER_ENTRIES = 200;
const FOLDER_DEPTH = 2;
const IMAGE_BYTES = 20 * 1024 * 1024;
/** Nothing lies there, so the user did not mean a file. */
const NO_FILE: readonly PortError["code"][] = ["not_found", "not_a_directory", "invalid"];

/**
 * What the user's text mentions with `@`, as blocks to stand behind it: a reminder with a file's lines or a
 * folder's entries, a picture, or why something could not be attached. What does not exist is no mention. The
 * ports decide what may be read. At most 80,000 characters; larger files say how to read on.
 */
export async function expandMentions(
  input: { text: string; place: Place } & MentionPorts,
): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  const seen = new Set<string>();
  let left = TOTAL_CHARS;
  for (const mention of findMentions(input.text)) {
    const target = await resolveMention(mention, input);
    if (target === null || seen.has(target.key)) continue;
    seen.add(target.key);
    const added = await attach(target, Math.min(FILE_CHARS, left), input);
    blocks.push(...added);
    left -= added.reduce((sum, block) => sum + (block.type === "reminder" ? block.text.length : 0), 0);
  }
  return blocks;
}

type Target = MentionReading & {
  key: string;
  /** Absolute. */
  full: string;
  shown: string;
  found: { kind: FileKind } | { refused: string };
};

async function resolveMention(
  mention: Mention,
  { place, files }: { place: Place } & MentionPorts,
): Promise<Target | null> {
  for (const reading of mention.readings) {
    const full = absolute(reading.path, place);
    const kind = await files.kind(full);
    if (!kind.ok && NO_FILE.includes(kind.error.code)) continue;
    const found = kind.ok ? { kind: kind.value } : { refused: kind.error.message };
    const key = `${normalize(full)}:${reading.firstLine ?? ""}-${reading.lastLine ?? ""}`;
    return { ...reading, key, full, shown: shownPath(full, place), found };
  }
  return null;
}

async function attach(target: Target, room: number, ports: MentionPorts): Promise<ContentBlock[]> {
  const { found, shown } = target;
  if ("refused" in found) return [notAttached(shown, found.refused)];
  if (room <= 0)
    return [notAttached(shown, "the files before it fill the room there is; read it if you need it.")];
  switch (found.kind.type) {
    case "text":
      return [await textBlock(target, room, ports)];
    case "directory":
      return [await folderBlock(target, room, ports)];
    case "image":
      return imageBlocks(target, ports);
    case "notebook":
      return [notAttached(shown, "it is a notebook; read it with read_file.")];
    case "pdf":
      return [notAttached(shown, `it is a PDF of ${found.kind.bytes} bytes.`)];
    case "binary":
      return [notAttached(shown, `it is ${found.kind.description}, ${found.kind.bytes} bytes.`)];
  }
}

function reminder(text: string): ContentBlock {
  return { type: "reminder", text };
}

function notAttached(shown: string, reason: string): ContentBlock {
  return reminder(`The user mentioned ${shown}. It is not attached: ${reason}`);
}

async function textBlock(target: Target, room: number, { files }: MentionPorts): Promise<ContentBlock> {
  const { firstLine, lastLine, shown } = target;
  const lines =
    firstLine === undefined || lastLine === undefined
      ? {}
      : { firstLine, maxLines: lastLine - firstLine + 1 };
  const slice = await files.readText(target.full, { ...lines, maxChars: room });
  return slice.ok ? reminder(sliceText(slice.value, shown)) : notAttached(shown, slice.error.message);
}

async function folderBlock(target: Target, room: number, { search }: MentionPorts): Promise<ContentBlock> {
  const listed = await search.list({ path: target.full, maxDepth: FOLDER_DEPTH, maxEntries: FOLDER_ENTRIES });
  if (!listed.ok) return notAttached(target.shown, listed.error.message);
  const entries = listed.value.entries.map(
    ({ path, directory }) => `${relative(target.full, path)}${directory ? "/" : ""}`,
  );
  return reminder(folderText(entries, listed.value.more, target.shown, room));
}

async function imageBlocks(target: Target, ports: MentionPorts): Promise<ContentBlock[]> {
  const loaded = await ports.files.readBytes(target.full, IMAGE_BYTES);
  if (!loaded.ok) return [notAttached(target.shown, loaded.error.message)];
  const fitted = fitImage(loaded.value);
  if (!fitted.ok) return [notAttached(target.shown, `${fitted.problem}.`)];
  const { bytes, mediaType, width, height } = fitted;
  const block = await ports.image(bytes, mediaType, { width, height });
  const name = target.shown;
  return [reminder(`The user mentioned ${name}; the image that follows.`), { ...block, name }];
}

/** `..` stays in it, as in the paths of the tools: the file layer judges it. */
function absolute(path: string, place: Place): string {
  if (path === "~") return place.home;
  if (path.startsWith("~/")) return join(place.home, path.slice(2));
  if (isAbsolute(path)) return normalize(path);
  return path.split("/").includes("..") ? `${place.cwd}/${path}` : join(place.cwd, path);
}

function shownPath(path: string, place: Place): string {
  const below = relative(place.cwd, path);
  if (below === "") return ".";
  return below.startsWith("..") ? normalize(path) : below;
}
