import { writeSync } from "node:fs";
import { openStore } from "../open.ts";
import { added, sampleCommit, sampleMessage, sampleSession } from "./samples.ts";

// Commits without end to the session that is there already, and names every commit on stdout once it is
// confirmed. The test kills it in the middle.
const dir = process.argv[2] ?? "";
const store = await openStore({ dir, now: () => 1 });
const stored = await store.loadSession("s1");
let seq = stored?.seq ?? 0;
let head = stored?.session.head ?? null;
for (;;) {
  const id = `m${seq}`;
  const durability = seq % 5 === 0 ? "full" : "normal";
  const text = "x".repeat((seq * 7919) % 20_000);
  const blob = await store.putBlob(Buffer.from(`blob ${seq} ${text}`), "text/plain");
  await store.commit(
    sampleCommit("s1", seq, {
      facts: [added({ ...sampleMessage(id, head), content: [{ type: "image", blob }] })],
      session: sampleSession("s1", { head: id, messageCount: seq + 1 }),
      state: { phase: { type: "running_tools" }, n: seq, text },
      command: { id, answer: seq },
      durability,
    }),
  );
  head = id;
  seq += 1;
  writeSync(1, `${seq}\n`);
}
