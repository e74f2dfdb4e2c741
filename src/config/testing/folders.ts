import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadConfig } from "../layers.ts";
import type { LoadedConfig } from "../loaded-config.ts";
import { type LathePaths, lathePaths } from "../paths.ts";
import { readIfThere } from "../read-file.ts";

/** A home and a project in a temp directory, for tests of config. */
export type Folders = {
  paths: LathePaths;
  cwd: string;
  /** Writes a file of the project, or an absolute one. */
  write(path: string, text: string | Uint8Array): string;
  load(options?: { trusted?: boolean; environment?: Record<string, string> }): LoadedConfig;
  remove(): void;
};

export function makeFolders(): Folders {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-config-")));
  const home = join(base, "home");
  const cwd = join(base, "work");
  mkdirSync(home);
  mkdirSync(cwd);
  // The administrator's file of the machine is none of a test's business.
  const paths = {
    ...lathePaths({ environment: {}, home, uid: 1 }),
    managedConfigFile: join(base, "etc", "config.json"),
  };
  return {
    paths,
    cwd,
    write(path, text) {
      const file = path.startsWith("/") ? path : join(cwd, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    load: ({ trusted = true, environment = {} } = {}) =>
      loadConfig({ paths, cwd, trusted, environment, readFile: readIfThere }),
    remove: () => rmSync(base, { recursive: true }),
  };
}
