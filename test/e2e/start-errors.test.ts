import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startScriptedModel } from "../../src/demo/scripted-model/server.ts";
import type { ScriptedModel } from "../../src/demo/scripted-model/types.ts";
import { writeProjectConfig, writeUserConfig } from "../support/config.ts";
import { holdersOf } from "../support/find-bytes.ts";
import { type Lab, openLab, resultOf } from "../support/lab.ts";

let lab: Lab | undefined;
let local: ScriptedModel | undefined;
afterEach(async () => {
  await lab?.close();
  await local?.close();
  lab = undefined;
  local = undefined;
});

/** No key, no base URL, no model's name. */
const BARE = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, ANTHROPIC_MODEL: undefined };
/** Where model servers on a machine usually listen; those that are taken here are left alone. */
const USUAL = { ollama: 11434, lmstudio: 1234, llamacpp: 8080, vllm: 8000 };

async function answers(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/v1/models`).then(
    () => true,
    () => false,
  );
}

describe("what keeps a run from starting", () => {
  it.each([
    ["--no-such-flag", ["-p", "x", "--no-such-flag"], 2],
    ["--max-turns", ["-p", "x", "--max-turns", "many"], 2],
    ["--output-format", ["-p", "x", "--output-format", "xml"], 2],
    ["--permission-mode", ["-p", "x", "--permission-mode", "reckless"], 2],
    ["prompt", ["-p", "  "], 42],
    ["nowhere", ["-p", "x", "--cwd", "/nowhere"], 42],
    ["nowhere", ["-p", "x", "--add-dir", "/nowhere"], 42],
  ])("names %s", async (word, args, code) => {
    lab = await openLab([{ text: "never" }]);
    const run = await lab.run(args);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(word);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(run.stdout).toBe("");
    expect(lab.model.requests).toHaveLength(0);
  });

  it.each([
    ["a broken user file", writeUserConfig, '{"model": "x",,}', /config\.json:1/],
    [
      "a wrong value",
      writeUserConfig,
      '{\n  "limits": { "maxTurns": "ten" }\n}',
      /config\.json:2.*maxTurns/s,
    ],
    ["a wrong rule", writeProjectConfig, '{"permissions": {"deny": ["bash(("]}}', /config\.json:1/],
  ] as const)("names the place of %s, with exit 52", async (_, write, text, place) => {
    lab = await openLab([{ text: "never" }]);
    const file = write({ home: lab.home, work: lab.work }, text);
    const run = await lab.run(["-p", "x", "--output-format", "json"]);
    expect(run.code).toBe(52);
    expect(run.stderr).toContain(file);
    expect(run.stderr).toMatch(place);
    expect(resultOf(run)).toMatchObject({ is_error: true });
    expect(lab.model.requests).toHaveLength(0);
  });

  it("says which key to set when none is there for the model", async () => {
    lab = await openLab([{ text: "never" }]);
    const run = await lab.run(["-p", "x", "--model", "anthropic/claude-sonnet-4-6"], { env: BARE });
    expect(run.code).toBe(41);
    expect(run.stderr).toContain("export ANTHROPIC_API_KEY=");
  });

  it("ends within five seconds when the key is refused, with exit 41", async () => {
    lab = await openLab({
      turns: [{ error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } }],
      repeatLast: true,
    });
    const run = await lab.run(["-p", "x"], { timeoutMs: 5000 });
    expect(run.code).toBe(41);
    expect(run.stderr).toMatch(/ANTHROPIC_API_KEY|key/);
  });

  it("without a model uses the server of this machine, else says exactly what to set", async () => {
    lab = await openLab([{ text: "never" }]);
    const taken = await Promise.all(Object.values(USUAL).map(answers));
    if (!taken.some(Boolean)) {
      const without = await lab.run(["-p", "x"], { env: BARE, timeoutMs: 5000 });
      expect(without.code).toBe(52);
      for (const part of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "--model ollama/"])
        expect(without.stderr).toContain(part);
    }
    const free = Object.values(USUAL).find((_, index) => !taken[index]);
    if (free === undefined || taken.some(Boolean)) return;
    local = await startScriptedModel({
      script: [{ text: "from here" }],
      port: free,
      models: ["qwen3-coder"],
      strict: { requireKey: false },
    });
    const run = await lab.run(["-p", "x"], { env: BARE });
    expect(run).toMatchObject({ code: 0, stdout: "from here\n" });
    expect(run.stderr).toContain("ollama/qwen3-coder");
    expect(local.requests).toHaveLength(1);
  });
});

describe("a project's .env", () => {
  const dotenv = "# keys\nexport ANTHROPIC_API_KEY='dotenv-key-77'\nANTHROPIC_BASE_URL=http://127.0.0.1:9/\n";

  it("lends its key in a trusted folder, behind the environment, and is stored nowhere", async () => {
    lab = await openLab(() => ({ text: "ok" }), { strict: { requireKey: false } });
    writeFileSync(join(lab.work, ".env"), dotenv);
    const env = { ANTHROPIC_API_KEY: undefined };
    expect(await lab.run(["-p", "x"], { env })).toMatchObject({ code: 0 });
    expect(lab.model.requests[0]?.headers["x-api-key"]).not.toBe("dotenv-key-77");
    expect(await lab.run(["trust"])).toMatchObject({ code: 0 });
    expect(await lab.run(["-p", "x"], { env })).toMatchObject({ code: 0 });
    expect(lab.model.requests[1]?.headers["x-api-key"]).toBe("dotenv-key-77");
    expect(await lab.run(["-p", "x", "-c"], { env })).toMatchObject({ code: 0 });
    expect(lab.model.requests[2]?.headers["x-api-key"]).toBe("dotenv-key-77");
    expect(await lab.run(["-p", "x"])).toMatchObject({ code: 0 });
    expect(lab.model.requests[3]?.headers["x-api-key"]).toBe("lab-key");
    expect(holdersOf(lab.home, "dotenv-key-77")).toEqual([]);
  });
});
