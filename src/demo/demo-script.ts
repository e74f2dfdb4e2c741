import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { AppError, errorCode } from "../shared/error.ts";
import type { Script, Turn } from "./scripted-model/types.ts";

/** What the user says in the demo. */
export const DEMO_PROMPT = "A test of this project fails. Find out why, fix it, and show me that it passes.";

const TESTS = { name: "bash", input: { command: "node --test" } };

/** The play of the demo's model over the sample project: look, run, read, mend, run again, report. */
export function demoScript(): Script {
  const turns: Turn[] = [
    {
      text: "I will look at the project and run its tests first.",
      calls: [{ name: "list_files", input: { path: "." } }, TESTS],
    },
    {
      text: "One test fails: the discounts of the lines add up to 499 and not to 500, so a cent gets lost. I will read how a discount is spread.",
      calls: [
        { name: "read_file", input: { path: "src/discount.js" } },
        { name: "read_file", input: { path: "src/money.js" } },
      ],
    },
    {
      text: "`allocate` rounds every share down and then hands out the cents that are left, but its loop begins at 1. With one cent left it never runs, and with more the first share is passed over.",
      calls: [
        {
          name: "edit_file",
          input: {
            path: "src/money.js",
            old_text: "  for (let index = 1; index < missing; index += 1) {",
            new_text: "  for (let index = 0; index < missing; index += 1) {",
          },
        },
      ],
    },
    { text: "Now the tests once more.", calls: [TESTS] },
    {
      text: [
        "Fixed: all 9 tests pass.",
        "",
        "- **Cause:** in `src/money.js`, `allocate` hands the cents left over from rounding to the first shares. Its loop began at index 1 and not at 0, so one cent too few was handed out.",
        "- **Effect:** a discount of 5 % on three lines came to 4.99 in place of 5.00.",
        "- **Change:** one character, the loop's start. No test had to be changed.",
      ].join("\n"),
    },
  ];
  return turns.map((turn) => ({ ...turn, latencyMs: 150, tokensPerSecond: 150 }));
}

/**
 * Copies the sample project from where it is kept to a folder (made when it is not there). AppError `io` when
 * the project is missing from the installation.
 */
export async function copyDemoProject(source: string, target: string): Promise<void> {
  for (const path of await filesBelow(source)) {
    const copy = join(target, relative(source, path));
    await mkdir(dirname(copy), { recursive: true });
    // Written anew and not copied: a read-only installation must not make a read-only project.
    await writeFile(copy, await readFile(path));
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new AppError("io", `the demo's project is missing (${folder}); install lathe anew`, {
      cause: error,
    });
  }
}
