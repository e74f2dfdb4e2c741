import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ImageBlock } from "../protocol/message.ts";
import { openDatabase } from "./adapter.ts";
import { loadDriver } from "./driver.ts";
import { buildChild, type Child } from "./testing/build-child.ts";
import { sampleStored } from "./testing/samples.ts";
import { type TemporaryStore, temporaryStore } from "./testing/temporary-store.ts";

let temporary: TemporaryStore;
let child: Child;
beforeEach(async () => {
  temporary = await temporaryStore();
  child = await buildChild("commitForever");
});
afterEach(async () => {
  child.remove();
  await temporary.remove();
});

/** Runs the child until it has confirmed so many commits and a random while longer; gives the last number. */
async function commitAndKill(commits: number): Promise<number> {
  const running = spawn(process.execPath, [child.script, temporary.dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  let seen = 0;
  running.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    const before = seen;
    seen = output.split("\n").length - 1;
    if (before < commits && seen >= commits) setTimeout(() => running.kill("SIGKILL"), Math.random() * 20);
  });
  await once(running, "close");
  expect(running.signalCode).toBe("SIGKILL");
  return Number(output.split("\n").at(-2));
}

it("keeps every confirmed commit, whole, when its process is killed at any point", {
  timeout: 60_000,
}, async () => {
  await temporary.store.createSession(sampleStored("s1"), [], 1);
  for (let round = 0; round < 10; round++) {
    await temporary.store.close();
    const confirmed = await commitAndKill(1 + Math.floor(Math.random() * 25));
    const store = await temporary.reopen();
    const stored = await store.loadSession("s1");
    const seq = stored?.seq ?? 0;
    // The last commit may have been stored and not yet reported; never the other way round.
    expect([confirmed, confirmed + 1]).toContain(seq);
    expect(stored?.session).toMatchObject({ head: `m${seq - 1}`, messageCount: seq });
    expect(stored?.state).toMatchObject({ n: seq - 1 });
    expect(await store.commandAnswer("s1", `m${seq - 1}`)).toBe(seq - 1);
    expect(await store.commandAnswer("s1", `m${seq}`)).toBeUndefined();
    expect((await store.factsAfter("s1", 0, 100_000)).map((fact) => fact.seq)).toEqual(
      Array.from({ length: seq }, (_, index) => index + 1),
    );
    const chain = await store.messageChain(`m${seq - 1}`);
    expect(chain.length).toBe(seq);
    for (const message of chain) {
      const bytes = await store.getBlob((message.content[0] as ImageBlock).blob.hash);
      expect(Buffer.from(bytes ?? []).toString()).toMatch(new RegExp(`^blob ${message.id.slice(1)} x*$`));
    }
    expect(await store.unfinishedSessions()).toEqual(["s1"]);
  }
  const db = openDatabase(loadDriver(), temporary.file);
  expect(db.get("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
  db.close();
});
