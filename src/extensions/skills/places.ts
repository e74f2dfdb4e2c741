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
  precedence: "project-first" | "user-first";
};

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

/** Every folder of skill folders, the strongest first: of two skills with one name the first found is offered. */
export function skillPlaces(ground: SkillGround): string[] {
  const managed = join(ground.managedDir, "skills");
  const project = ground.trusted ? projectPlaces(ground) : [];
  const user = [join(ground.configDir, "skills"), ...USER_FOLDERS.map((name) => join(ground.home, name))];
  return ground.precedence === "user-first" ? [managed, ...user, ...project] : [managed, ...project, ...user];
}

/** Folders in the project, from the working directory up to its top; the home's own folders are the user's. */
export function projectPlaces({ cwd, top, home }: Pick<SkillGround, "cwd" | "top" | "home">): string[] {
  const places: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder !== home) places.push(...PROJECT_FOLDERS.map((name) => join(folder, name)));
    if (folder === top || folder === dirname(folder)) return places;
  }
}
