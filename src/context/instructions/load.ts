import { basename, dirname, join } from "node:path";
import { foldersDownTo, instructionLevels, type Level, userFolders } from "./candidates.ts";
import { createCollector, type InstructionBlock, type InstructionCaps } from "./collect.ts";
import { type InstructionDisk, instructionDisk } from "./disk.ts";
import { ruleScope } from "./rule-scope.ts";

export type InstructionInput = {
  cwd: string;
  /** Folders that the session works in; imports may lead into them. */
  roots: readonly string[];
  home: string;
  /** lathe's folder of user config; its parent is where other agents keep theirs. */
  configDir: string;
  caps?: Partial<InstructionCaps>;
  disk?: InstructionDisk;
};

export type Instructions = {
  /** The weakest first: user, above the repository, repository root down to the cwd. */
  blocks: InstructionBlock[];
  /** What the user should know: files that were cut, left out or unreadable. */
  notices: string[];
  /** Text of SOUL.md and USER.md in the config folder. */
  soul: string | null;
  user: string | null;
};

const CAPS: InstructionCaps = { file: 32 * 1024, total: 64 * 1024, readme: 4 * 1024 };
const PERSONAL_BYTES = 16 * 1024;

/**
 * Reads the instruction files of both families (AGENTS.md, CLAUDE.md), their imports and rules. Each file once,
 * whatever links to it or repeats it; bounded; the nearest file has the first claim on the room. Never rejects
 * for the sake of a file: what cannot be read is a notice.
 */
export async function loadInstructions(input: InstructionInput): Promise<Instructions> {
  const disk = input.disk ?? instructionDisk;
  const caps = { ...CAPS, ...input.caps };
  const projectRoot = (await repositoryRoot(input.cwd, disk)) ?? input.cwd;
  const collector = createCollector({
    disk,
    caps,
    home: input.home,
    projectFolders: [projectRoot, ...input.roots],
    userFolders: userFolders(input.home, input.configDir),
  });
  const levels = instructionLevels({ ...input, projectRoot });
  const present = await Promise.all(levels.map((level) => presentIn(level, disk)));
  const groups: InstructionBlock[][] = [];
  for (const [index, level] of [...levels.entries()].reverse()) {
    groups.unshift(await takeLevel(level, present[index] ?? NOTHING, collector));
  }
  const ofProject = levels.some(
    ({ standing }, index) => standing !== "user" && (groups[index]?.length ?? 0) > 0,
  );
  if (!ofProject) groups.push(await collector.takeReadme(join(projectRoot, "README.md")));
  return {
    blocks: groups.flat(),
    notices: collector.notices,
    soul: await personal(join(input.configDir, "SOUL.md"), disk, collector.notices),
    user: await personal(join(input.configDir, "USER.md"), disk, collector.notices),
  };
}

/** The nearest folder at or above that holds `.git`. */
async function repositoryRoot(cwd: string, disk: InstructionDisk): Promise<string | null> {
  const folders = foldersDownTo(cwd);
  const found = await Promise.all(folders.map((folder) => disk.exists(join(folder, ".git"))));
  return folders[found.lastIndexOf(true)] ?? null;
}

type Present = { files: string[]; rules: string[] };
const NOTHING: Present = { files: [], rules: [] };

async function presentIn(level: Level, disk: InstructionDisk): Promise<Present> {
  const [files, rules] = await Promise.all([
    Promise.all(level.files.map((file) => firstPresent([file].flat(), disk))),
    level.rules === undefined ? [] : disk.markdownBelow(level.rules),
  ]);
  return { files: files.filter((file) => file !== null), rules };
}

async function firstPresent(paths: string[], disk: InstructionDisk): Promise<string | null> {
  for (const path of paths) if (await disk.exists(path)) return path;
  return null;
}

type Collector = ReturnType<typeof createCollector>;

async function takeLevel(level: Level, present: Present, collector: Collector): Promise<InstructionBlock[]> {
  const blocks: InstructionBlock[] = [];
  for (const path of present.files) blocks.push(...(await collector.take(path, level.standing)));
  const scoped: string[] = [];
  for (const path of present.rules) {
    const head = await collector.peek(path, level.standing);
    const scope = head === null ? null : ruleScope(head);
    if (scope === null) blocks.push(...(await collector.take(path, level.standing, "rule")));
    else scoped.push(`- ${path}: ${scope.join(", ")}`);
  }
  if (level.rules !== undefined && scoped.length > 0) {
    blocks.push(...collector.takeText(level.rules, [SCOPED, ...scoped].join("\n")));
  }
  return blocks;
}

const SCOPED =
  "Rules for certain files. Read the rule's file before you work on files that its patterns match:";

async function personal(path: string, disk: InstructionDisk, notices: string[]): Promise<string | null> {
  const head = await disk.read(path, PERSONAL_BYTES);
  if (head.type === "fault") notices.push(`${path} ${head.reason}`);
  if (head.type !== "file" || head.text.trim() === "") return null;
  if (head.totalBytes > PERSONAL_BYTES) {
    notices.push(`${basename(path)} in ${dirname(path)} was cut to its first ${PERSONAL_BYTES / 1024} KiB`);
  }
  return head.text.trim();
}
