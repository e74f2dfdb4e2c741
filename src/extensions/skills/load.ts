import { readdir, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { LoadedSkill } from "../../protocol/plans.ts";
import type { Result } from "../../protocol/ports.ts";
import { readSkill, type Skill } from "./read-skill.ts";

const MAX_FILES = 100;
const MAX_DEPTH = 4;

/** Reads the body of a skill as it is now. `arguments` are what the user wrote behind its name. */
export async function loadSkill(
  skill: Skill,
  values: { sessionId: string; arguments?: string },
): Promise<Result<LoadedSkill>> {
  const reading = await readSkill(skill.file);
  if (!reading?.ok) {
    const why = reading === null ? "it is gone" : reading.problem;
    return { ok: false, error: { code: "io", message: `the skill ${skill.name} cannot be loaded: ${why}` } };
  }
  const given = dirname(skill.file);
  const folder = await realpath(given).catch(() => given);
  const body = substitute(reading.body, { folder, ...values });
  const { name, allowedTools } = skill;
  return { ok: true, value: { name, body, folder, files: await filesBeside(folder), allowedTools } };
}

function substitute(body: string, values: { folder: string; sessionId: string; arguments?: string }): string {
  const own = body
    .replaceAll("${CLAUDE_SKILL_DIR}", () => values.folder)
    .replaceAll("${CLAUDE_SESSION_ID}", () => values.sessionId);
  const given = values.arguments;
  if (given === undefined) return own;
  const words = given.split(/\s+/).filter((word) => word !== "");
  return own.replace(/\$ARGUMENTS(?:\[(\d{1,3})\])?/g, (_, index) =>
    index === undefined ? given : (words[Number(index)] ?? ""),
  );
}

/** Paths of the files below the folder without SKILL.md itself, sorted; links are not followed. */
async function filesBeside(folder: string): Promise<string[]> {
  const found: string[] = [];
  await collect(folder, folder, MAX_DEPTH, found);
  return found.sort();
}

async function collect(top: string, folder: string, depth: number, found: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (found.length >= MAX_FILES || entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 1) await collect(top, path, depth - 1, found);
    else if (entry.isFile() && path !== join(top, "SKILL.md")) found.push(relative(top, path));
  }
}
