import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../shared/error.ts";
import type { TuiHost } from "../tui-host.ts";

/** Lets the user's editor (VISUAL, EDITOR, else vi) write the text; the old text when that fails. */
export function editExternally(text: string, host: TuiHost): { text: string; error: string | null } {
  const editor = host.environment.VISUAL || host.environment.EDITOR || "vi";
  let folder: string | null = null;
  try {
    folder = mkdtempSync(join(host.tmpDir, "lathe-prompt-"));
    const file = join(folder, "prompt.md");
    writeFileSync(file, text, { mode: 0o600 });
    // By the shell, because EDITOR may hold arguments; the file's name comes as one of its own.
    const run = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    if (run.status !== 0)
      return {
        text,
        error: `${editor} ended with ${run.signal ?? `exit code ${run.status}`}; nothing was taken over`,
      };
    return { text: readFileSync(file, "utf8").replace(/\n$/, ""), error: null };
  } catch (error) {
    return { text, error: `the editor ${editor} could not be used: ${errorMessage(error)}` };
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}
