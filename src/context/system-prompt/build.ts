import type { ToolSpec } from "../../protocol/tool.ts";
import { AppError } from "../../shared/error.ts";
import { sha256 } from "../../shared/hash.ts";
import { wellFormed } from "../../shared/text.ts";
import { type EnvironmentFacts, environmentSection } from "./environment.ts";
import identity from "./identity.md";
import { mcpSection, type SkillLine, skillsSection } from "./menus.ts";
import rules from "./rules.md";
import toolNotes from "./tool-notes.md";
import { userSection } from "./user-memory.ts";

export type SystemPromptInput = EnvironmentFacts & {
  /** Replaces the built-in identity and rules. */
  systemPrompt?: string;
  /** Stands at the very end. */
  appendSystemPrompt?: string;
  /** Text of SOUL.md and USER.md; null when there is none. */
  soul: string | null;
  user: string | null;
  /** MCP servers that are configured; null or none: no hint. */
  mcp: { servers: readonly string[] } | null;
  skills: readonly SkillLine[];
  /** Instruction files, the weakest first. */
  instructions: readonly { path: string; text: string }[];
};

/**
 * The system prompt: identity, environment, rules, soul, user memory, tool notes, MCP hint, skills, then the
 * project's instructions. Absent parts leave nothing behind. The same input gives the same bytes; nothing in
 * it may change within a session.
 */
export function buildSystemPrompt(input: SystemPromptInput): string {
  const replaced = input.systemPrompt !== undefined;
  const sections = [
    replaced ? input.systemPrompt : identity,
    environmentSection(input),
    replaced ? null : rules,
    input.soul && `# Personality\n${input.soul}`,
    input.user && userSection(input.user),
    toolNotes,
    input.mcp && mcpSection(input.mcp.servers),
    skillsSection(input.skills),
    instructionsSection(input.instructions),
    input.appendSystemPrompt,
  ];
  return sections
    .map((section) => wellFormed(section ?? "").trim())
    .filter((section) => section !== "")
    .join("\n\n");
}

/** The line that the project's instructions begin with. */
export const INSTRUCTIONS_TITLE = "# Project Context";

function instructionsSection(files: SystemPromptInput["instructions"]): string | null {
  if (files.length === 0) return null;
  const intro = `${INSTRUCTIONS_TITLE}\nInstructions of the user and the project. Where they differ, the later one holds.`;
  return [intro, ...files.map(({ path, text }) => `## ${path}\n${text.trim()}`)].join("\n\n");
}

export type Prefix = { system: string; tools: ToolSpec[] };

/**
 * System prompt and tool list as stored. Keys keep their order, so that a prefix that is read back gives the
 * very bytes on the wire that the first request had.
 */
export function pinPrefix(prefix: Prefix): { hash: string; bytes: Uint8Array } {
  const tools = prefix.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const bytes = Buffer.from(JSON.stringify({ system: prefix.system, tools }), "utf8");
  return { hash: sha256(bytes), bytes };
}

/** What `pinPrefix` stored. AppError `corrupt` when the bytes are something else. */
export function readPrefix(bytes: Uint8Array): Prefix {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw corrupt(cause);
  }
  if (!isPrefix(value)) throw corrupt(undefined);
  return { system: value.system, tools: value.tools };
}

function isPrefix(value: unknown): value is Prefix {
  if (typeof value !== "object" || value === null || !("system" in value) || !("tools" in value))
    return false;
  return typeof value.system === "string" && Array.isArray(value.tools) && value.tools.every(isToolSpec);
}

function isToolSpec(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (!("name" in value && "description" in value && "inputSchema" in value)) return false;
  const { name, description, inputSchema } = value;
  return typeof name === "string" && typeof description === "string" && typeof inputSchema === "object";
}

function corrupt(cause: unknown): AppError {
  const message =
    "The stored system prompt of this session cannot be read; start a new session or use /clear.";
  return new AppError("corrupt", message, { cause });
}
