import { dirname, join } from "node:path";

/** Where skills of one session may lie. */
export type SkillGround = {
  /** Working directory, and the folder that the project begins with (itself or a parent of it). */
  cwd: string;
  top: string;
  home: string;
  /** The user's folder of lathe's own config, and the administrator's. */
  configDir: string;
  managedDir: string;
  /** Skills of a project are offered only where the user trusts it: they speak to the model. */
  trusted: boolean;
};

/** A folder of skill folders. */
export type SkillPlace = { folder: string; tier: "managed" | "project" | "user" };

const PROJECT_FOLDERS = [
  ".lathe/skills",
  ".agents/skills",
  ".claude/skills",
  "skills",
  ".codex/skills",
  ".gemini/skills",
  ".opencode/skills",
  ".cursor/skills",
];
const USER_FOLDERS = [
  ".agents/skills",
  ".config/agents/skills",
  ".claude/skills",
  ".codex/skills",
  ".gemini/skills",
  ".config/opencode/skills",
  ".opencode/skills",
  ".cursor/skills",
];

/** Every place, the strongest first: of two skills with one name the first found is offered. */
export function skillPlaces(ground: SkillGround): SkillPlace[] {
  return [
    { folder: join(ground.managedDir, "skills"), tier: "managed" },
    ...(ground.trusted ? projectPlaces(ground) : []),
    { folder: join(ground.configDir, "skills"), tier: "user" },
    ...USER_FOLDERS.map((name): SkillPlace => ({ folder: join(ground.home, name), tier: "user" })),
  ];
}

/** Places in the project, from the working directory up to its top; the home's own folders are the user's. */
export function projectPlaces({ cwd, top, home }: Pick<SkillGround, "cwd" | "top" | "home">): SkillPlace[] {
  const places: SkillPlace[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder !== home) {
      for (const name of PROJECT_FOLDERS) places.push({ folder: join(folder, name), tier: "project" });
    }
    if (folder === top || folder === dirname(folder)) return places;
  }
}
