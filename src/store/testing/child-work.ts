import { readdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../protocol/store-port.ts";
import { errorCode } from "../../shared/error.ts";
import { openStore } from "../open.ts";
import { added, sampleCommit, sampleMessage, sampleSession, sampleStored } from "./samples.ts";

/**
 * Commits without end to the session that is there already, and names every commit on stdout once it is
 * confirmed. The test kills it in the middle.
 */
export async function commitForever(dir: string): Promise<never> {
  const store = await openStore({ dir, now: () => 1 });
  const stored = await store.loadSession("s1");
  let head = stored?.session.head ?? null;
  for (let seq = stored?.seq ?? 0; ; seq++) {
    const id = `m${seq}`;
    const text = "x".repeat((seq * 7919) % 20_000);
    const blob = await store.putBlob(Buffer.from(`blob ${seq} ${text}`), "text/plain");
    await store.commit(
      sampleCommit("s1", seq, {
        facts: [added({ ...sampleMessage(id, head), content: [{ type: "image", blob }] })],
        session: sampleSession("s1", { head: id, messageCount: seq + 1 }),
        state: { phase: { type: "running_tools" }, n: seq, text },
        command: { id, answer: seq },
        durability: seq % 5 === 0 ? "full" : "normal",
      }),
    );
    head = id;
    writeSync(1, `${seq + 1}\n`);
  }
}

/** What `fillDisk` met; codes are of errors, or `ok`. */
export type FillReport = {
  /** Messages stored before the disk was full, and how many of them could be read then. */
  full: number;
  readable: number;
  failure: string;
  blobFailure: string;
  /** Files below `blobs/` after the failed write. */
  leftovers: string[];
  /** Of a commit once there was space again, and the number the session has after a restart. */
  after: string;
  reopened: number | undefined;
};

/** Fills a small disk with commits and blobs until it is full, frees some and goes on. Prints a FillReport. */
export async function fillDisk(dir: string): Promise<void> {
  const ballast = join(dir, "ballast");
  writeFileSync(ballast, "x".repeat(300_000));
  const store = await openStore({ dir, now: () => 1 });
  await store.createSession(sampleStored("s1"), [], 1);
  let full = 0;
  let failure = "ok";
  while (full < 1_000) {
    failure = await codeOf(addMessage(store, full));
    if (failure !== "ok") break;
    full += 1;
  }
  const blobFailure = await codeOf(store.putBlob(Buffer.from("z".repeat(400_000)), "text/plain"));
  const leftovers = readdirSync(join(dir, "blobs"), { recursive: true })
    .map(String)
    .filter((name) => name.length > 2);
  const readable = (await store.messageChain(`m${full - 1}`)).length;
  rmSync(ballast);
  const after = await codeOf(addMessage(store, full));
  await store.close();
  const again = await openStore({ dir, now: () => 1 });
  const reopened = (await again.loadSession("s1"))?.seq;
  await again.close();
  const report: FillReport = { full, readable, failure, blobFailure, leftovers, after, reopened };
  console.log(JSON.stringify(report));
}

function addMessage(store: Store, seq: number): Promise<unknown> {
  const id = `m${seq}`;
  const message = sampleMessage(id, seq === 0 ? null : `m${seq - 1}`, "s1", "y".repeat(50_000));
  return store.commit(
    sampleCommit("s1", seq, { facts: [added(message)], session: sampleSession("s1", { head: id }) }),
  );
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "ok";
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
}
