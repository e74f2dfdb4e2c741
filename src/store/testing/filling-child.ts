import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../open.ts";
import { added, sampleCommit, sampleMessage, sampleSession, sampleStored } from "./samples.ts";

// Fills a small disk with commits and blobs until it is full, frees some and goes on. Prints what happened as
// JSON; the test judges it.
const dir = process.argv[2] ?? "";
const ballast = join(dir, "ballast");
writeFileSync(ballast, "x".repeat(300_000));
const store = await openStore({ dir, now: () => 1 });
await store.createSession(sampleStored("s1"), [], 1);

let seq = 0;
const add = async (): Promise<string> => {
  const id = `m${seq}`;
  try {
    await store.commit(
      sampleCommit("s1", seq, {
        facts: [added(sampleMessage(id, seq === 0 ? null : `m${seq - 1}`, "s1", "y".repeat(50_000)))],
        session: sampleSession("s1", { head: id }),
      }),
    );
    seq += 1;
    return "ok";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
};

let failure = "ok";
while (failure === "ok" && seq < 1_000) failure = await add();
const full = seq;
const blobFailure = await store
  .putBlob(Buffer.from("z".repeat(400_000)), "text/plain")
  .then(() => "ok")
  .catch((error: { code?: unknown }) => String(error.code));
const leftovers = readdirSync(join(dir, "blobs"), { recursive: true })
  .map(String)
  .filter((name) => name.length > 2);
const readable = (await store.messageChain(`m${full - 1}`)).length;
rmSync(ballast);
const after = await add();
await store.close();
const again = await openStore({ dir, now: () => 1 });
const reopened = (await again.loadSession("s1"))?.seq;
await again.close();
console.log(JSON.stringify({ full, failure, blobFailure, leftovers, readable, after, reopened }));
