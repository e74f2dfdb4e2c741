import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { errorCode } from "../../shared/error.ts";
import { frontMatter } from "./front-matter.ts";

/** What a SKILL.md says of itself. */
export type Skill = {
  name: string;
  description: string;
  /** Absolute path of its SKILL.md. */
  file: string;
  allowedTools: string[];
  /** Not in the menu, and not for `load_skill`: only the user calls for it. */
  userOnly: boolean;
  /** Not for the user to call for by name. */
  modelOnly: boolean;
};

/** A skill with what the open specification would have otherwise; or why it cannot be offered. Null: there is none. */
export type SkillReading =
  | { ok: true; skill: Skill; body: string; warnings: string[] }
  | { ok: false; problem: string }
  | null;

const MAX_BYTES = 256 * 1024;
const SPEC_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

/** Reads one SKILL.md. A pipe or device under that name is never waited for. */
export async function readSkill(file: string): Promise<SkillReading> {
  const text = await readBounded(file);
  if (text === null) return null;
  if (!text.ok) return text;
  const { fields, body, problem } = frontMatter(text.text);
  if (problem !== null) return { ok: false, problem };
  const folder = basename(dirname(file));
  const name = fields.name === undefined || fields.name === null ? folder : String(fields.name).trim();
  if (name === "" || name.length > MAX_NAME || /[\s"<>/]/.test(name)) {
    return {
      ok: false,
      problem: `its name ${JSON.stringify(name.slice(0, 80))} cannot be used; ${NAME_RULE}`,
    };
  }
  const description = typeof fields.description === "string" ? fields.description.trim() : "";
  if (description === "") return { ok: false, problem: "it has no description in its front matter" };
  const skill: Skill = {
    name,
    description,
    file,
    allowedTools: toolList(fields["allowed-tools"]),
    userOnly: isTruth(fields["disable-model-invocation"], /^(true|yes|on)$/i),
    modelOnly: isTruth(fields["user-invocable"], /^(false|no|off)$/i),
  };
  return { ok: true, skill, body: body.trim(), warnings: warningsOf(skill, folder) };
}

const NAME_RULE = "names are lower-case words with hyphens, at most 64 characters";

function warningsOf({ name, description }: Skill, folder: string): string[] {
  const warnings: string[] = [];
  if (!SPEC_NAME.test(name)) warnings.push(`its name ${name} is unusual: ${NAME_RULE}`);
  if (name !== folder) warnings.push(`its name ${name} is not that of its folder`);
  if (description.length > MAX_DESCRIPTION) {
    warnings.push(`its description has ${description.length} characters; ${MAX_DESCRIPTION} are allowed`);
  }
  return warnings;
}

/** YAML of the older kind has more words for yes and no. */
const isTruth = (value: unknown, words: RegExp): boolean =>
  (typeof value === "boolean" || typeof value === "string") && words.test(String(value).trim());

/** `allowed-tools`: a YAML list, or tools apart by spaces or commas outside of parentheses. */
function toolList(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" ? (value.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : [];
}

type Text = { ok: true; text: string } | { ok: false; problem: string } | null;

async function readBounded(path: string): Promise<Text> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const info = await file.stat();
      if (!info.isFile()) return { ok: false, problem: "it is not a regular file" };
      if (info.size > MAX_BYTES) return { ok: false, problem: `it is larger than ${MAX_BYTES / 1024} kB` };
      const text = await file.readFile("utf8");
      return text.includes("\0") ? { ok: false, problem: "it is not text" } : { ok: true, text };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return { ok: false, problem: `it cannot be read (${code ?? "unknown error"})` };
  }
}
