import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Lab, openLab } from "../support/lab.ts";
import { openPerson } from "../support/person.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const SECRET = "s3cr3t-value-of-the-test";

it.each([
  ["hidden from files, search and commands alike, with the way out", [], false],
  ["open to all of them once it is granted by name", [".env"], true],
])("a .env is %s", async (_, allowRead, open) => {
  const calls = [
    { name: "read_file", input: { path: ".env" } },
    { name: "bash", input: { command: "cat .env; grep -rn s3cr3t ." } },
    { name: "search_code", input: { pattern: "s3cr3t", path: ".env" } },
  ];
  lab = await openLab((request) => {
    const done = JSON.stringify(request.body).split('"tool_result"').length - 1;
    const call = calls[done];
    return call ? { calls: [call] } : { text: "done" };
  });
  writeFileSync(join(lab.work, ".env"), `TOKEN=${SECRET}\n`);
  mkdirSync(join(lab.home, ".config/lathe"), { recursive: true });
  const granted = allowRead.map((name) => join(lab?.work ?? "", name));
  writeFileSync(
    join(lab.home, ".config/lathe/config.json"),
    JSON.stringify({ sandbox: { allowRead: granted } }),
  );
  const person = await openPerson(lab);
  const told = await person.prompt({ mode: "auto", answer: () => ({ type: "deny" }) });
  person.wire.end();
  const texts = told.results.map(({ text }) => text);
  expect(texts).toHaveLength(3);
  expect(texts.map((text) => text.includes(SECRET))).toEqual([open, open, open]);
  if (!open) expect(texts[0]).toMatch(/secret/i);
  if (!open) expect(texts[0]).toMatch(/user/i);
});
