import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AppError } from "../shared/error.ts";
import { copyDemoProject, DEMO_PROMPT, demoScript } from "./demo-script.ts";
import { startScriptedModel } from "./scripted-model/server.ts";

/** A demo that is ready to run: a copy of the sample project and a scripted model behind a real port. */
export type Demo = {
  folder: string;
  prompt: string;
  /** The environment for the run: points at the scripted model. */
  environment: Record<string, string>;
  model: string;
  close(): Promise<void>;
};

/** The name under which the demo's model appears everywhere, so that nobody takes it for a real one. */
const MODEL = "scripted-demo";

/**
 * Copies the project and starts the model. Everything else of the demo is the product itself. `keep` names an
 * empty or new folder for the copy; AppError `bad_input` when it exists with something in it.
 */
export async function prepareDemo(options: {
  projectSource: string;
  keep: string | null;
  cwd: string;
}): Promise<Demo> {
  const folder =
    options.keep === null ? mkdtempSync(join(tmpdir(), "lathe-demo-")) : resolve(options.cwd, options.keep);
  if (options.keep !== null && existsSync(folder)) {
    throw new AppError(
      "bad_input",
      `${options.keep} exists already; name a new folder for the demo's project`,
    );
  }
  mkdirSync(folder, { recursive: true });
  await copyDemoProject(options.projectSource, folder);
  const model = await startScriptedModel({ script: demoScript(), strict: true, models: [MODEL] });
  return {
    folder,
    prompt: DEMO_PROMPT,
    model: `anthropic/${MODEL}`,
    environment: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "the-scripted-model-needs-no-key" },
    close: () => model.close(),
  };
}
