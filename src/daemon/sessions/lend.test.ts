import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLending } from "./lend.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-lend-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nothing = { environment: {}, credentials: {} };

function lending(trusted: boolean) {
  const hidden: string[] = [];
  const lend = createLending({
    isTrusted: () => trusted,
    hideSecrets: (secrets) => void hidden.push(...secrets),
  });
  return { lend, hidden };
}

test("a trusted folder's .env fills in what the client lacks, and its keys are hidden", () => {
  writeFileSync(
    join(folder, ".env"),
    "OPENAI_API_KEY=from-file\nANTHROPIC_API_KEY=weaker\nMODEL_ID=m\nOTHER=x\n",
  );
  const { lend, hidden } = lending(true);
  const lent = lend({ environment: {}, credentials: { ANTHROPIC_API_KEY: "own" } }, folder);
  expect(lent).toEqual({
    environment: { MODEL_ID: "m" },
    credentials: { OPENAI_API_KEY: "from-file", ANTHROPIC_API_KEY: "own" },
  });
  expect(hidden.sort()).toEqual(["from-file", "own"]);
});

test("an untrusted folder's .env lends nothing; nor does one that is no settings file", () => {
  writeFileSync(join(folder, ".env"), "OPENAI_API_KEY=from-file\n");
  expect(lending(false).lend(nothing, folder)).toEqual(nothing);
  writeFileSync(join(folder, ".env"), `OPENAI_API_KEY=${"x".repeat(70_000)}\n`);
  expect(lending(true).lend(nothing, folder)).toEqual(nothing);
  rmSync(join(folder, ".env"));
  expect(lending(true).lend(nothing, folder)).toEqual(nothing);
});
