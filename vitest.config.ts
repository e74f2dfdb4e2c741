import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

// Tool texts are .md files beside the tool; the bundle inlines them in the same way (scripts/build.mjs).
const markdownAsText = {
  name: "markdown-as-text",
  enforce: "pre" as const,
  load(id: string) {
    return id.endsWith(".md") ? `export default ${JSON.stringify(readFileSync(id, "utf8"))};` : null;
  },
};

const project = (name: string, include: string[], timeout: number) => ({
  plugins: [markdownAsText],
  test: {
    name,
    include,
    testTimeout: timeout,
    hookTimeout: timeout,
    pool: "forks" as const,
    // Most tests wait for processes, so three at a time suit two cores.
    maxWorkers: 3,
  },
});

export default defineConfig({
  test: {
    projects: [
      project("unit", ["src/**/*.test.ts"], 20_000),
      project("contract", ["test/contract/**/*.test.ts"], 60_000),
      project("e2e", ["test/e2e/**/*.test.ts"], 90_000),
    ],
  },
});
