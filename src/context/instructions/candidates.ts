import { dirname, join } from "node:path";
import { isWithin } from "../../shared/fs.ts";

/** Where an instruction file stands: the user's own, above the repository, or in the project. */
export type Standing = "user" | "above" | "project";

/** One place that may hold instructions. */
export type Level = {
  standing: Standing;
  /** Tried in this order; of an inner list only the first that exists counts. */
  files: (string | string[])[];
  /** Folder of rule files. */
  rules?: string;
};

/** Folders of the user that hold instructions of this and other agents. */
export function userFolders(home: string, configDir: string): string[] {
  const config = dirname(configDir);
  return [join(config, "opencode"), join(home, ".codex"), join(home, ".claude"), configDir];
}

/** All places, the weakest first: user, above the repository from the top, repository root down to the cwd. */
export function instructionLevels(place: {
  cwd: string;
  projectRoot: string;
  home: string;
  configDir: string;
}): Level[] {
  const { cwd, projectRoot } = place;
  const folders = foldersDownTo(cwd);
  const above = folders.filter((folder) => !isWithin(projectRoot, folder));
  const project = folders.filter((folder) => isWithin(projectRoot, folder));
  return [
    userLevel(place.home, place.configDir),
    ...above.map((folder): Level => ({ standing: "above", files: claudeFiles(folder) })),
    ...project.map((folder): Level => {
      const agents = [join(folder, "AGENTS.override.md"), join(folder, "AGENTS.md")];
      return {
        standing: "project",
        files: [agents, ...claudeFiles(folder)],
        rules: join(folder, ".claude", "rules"),
      };
    }),
  ];
}

function userLevel(home: string, configDir: string): Level {
  const [opencode, codex, claude] = userFolders(home, configDir) as [string, string, string, string];
  return {
    standing: "user",
    files: [
      join(dirname(configDir), "AGENTS.md"),
      join(opencode, "AGENTS.md"),
      join(codex, "AGENTS.md"),
      join(claude, "CLAUDE.md"),
      join(configDir, "AGENTS.md"),
    ],
    rules: join(claude, "rules"),
  };
}

const claudeFiles = (folder: string): string[] => [
  join(folder, "CLAUDE.md"),
  join(folder, ".claude", "CLAUDE.md"),
  join(folder, "CLAUDE.local.md"),
];

/** `/`, `/a`, `/a/b` for `/a/b`. */
export function foldersDownTo(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [...foldersDownTo(parent), folder];
}
