import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildToy, logged, type Toy } from "../daemon/server/testing/build-toy.ts";
import { markTest, type ToyOptions, unmarkTest } from "../daemon/server/testing/toy-daemon.ts";
import { type Client, connect } from "./client.ts";
import { type Following, type FollowOptions, followSession } from "./follow-session.ts";
import { sendCommand } from "./send.ts";

let toy: Toy;
let folder: string;
let client: Client;

beforeAll(async () => {
  toy = await buildToy();
});
afterAll(() => toy.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-flw-"));
  markTest(folder);
});
afterEach(() => {
  unmarkTest(folder);
  client.close();
  for (const pid of logged(folder, "started")) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was killed by the test.
    }
  }
  rmSync(folder, { recursive: true, force: true });
});

async function start(more: Partial<ToyOptions> = {}): Promise<void> {
  const socketPath = join(folder, "run", "d.sock");
  client = await connect({
    socketPath,
    client: { name: "test", version: "1.0.0" },
    startDaemon: {
      command: process.execPath,
      args: toy.args({ stateDir: folder, socketPath, version: "1.0.0", testDir: folder, ...more }),
      environment: {},
      outputFile: join(folder, "logs", "daemon.out"),
    },
  });
}

const send = (text: string, commandId = text) =>
  sendCommand(client, "session.prompt", {
    sessionId: "s1",
    commandId,
    content: [{ type: "text", text }],
    interactive: false,
    boundToClient: false,
  });

type Seen = { facts: number[]; text: string; log: string[]; following: Following };

async function follow(more: Partial<FollowOptions> = {}): Promise<Seen> {
  const seen: Omit<Seen, "following"> = { facts: [], text: "", log: [] };
  const following = await followSession(client, "s1", {
    onFact: (fact) => {
      seen.facts.push(fact.seq);
      seen.log.push(`fact ${fact.seq}`);
    },
    onDelta: (delta) => {
      if (delta.type === "text") seen.text += delta.text;
    },
    onSnapshot: (snapshot) => {
      seen.text = snapshot.streaming?.text ?? "";
      seen.log.push(`snapshot ${snapshot.seq}`);
    },
    onLost: (reason) => seen.log.push(`lost: ${reason}`),
    onReconnect: () => seen.log.push("back"),
    ...more,
  });
  return Object.assign(seen, { following });
}

async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("followSession", () => {
  it("delivers what was, the snapshot, and what comes; each fact once", async () => {
    await start();
    await send("facts 3 10");
    const seen = await follow();
    expect(seen.log).toEqual(["fact 1", "fact 2", "fact 3", "snapshot 3"]);
    await send("one more");
    await until(() => seen.facts.length === 4);
    expect(seen.following.seq()).toBe(4);
    seen.following.stop();
    await send("unseen");
    expect(await seen.following.ended).toBeNull();
    expect(seen.facts).toEqual(upTo(4));
  });

  it("begins after a number and pages on when an open gives only a part", async () => {
    await start({ pageSize: 4 });
    await send("facts 21 10");
    const seen = await follow({ afterSeq: 5 });
    expect(seen.facts).toEqual(upTo(21, 6));
    expect(seen.log.at(-1)).toBe("snapshot 21");
  });

  it("goes on from its last fact after the daemon was killed, whoever noticed first", async () => {
    await start();
    const seen = await follow();
    for (let round = 1; round <= 3; round++) {
      await send(`facts 5 ${round}`);
      await send("die", `die ${round}`);
      await send("after", `after ${round}`);
      await until(() => seen.facts.length >= round * 7);
    }
    expect(seen.facts).toEqual(upTo(21));
    expect(seen.log.filter((line) => line === "lost: lost")).toHaveLength(3);
    await until(() => seen.log.filter((line) => line === "back").length === 3);
  });

  it("loses no letter of a text that streams while it opens", async () => {
    await start();
    const text = "abcdefghijklmnopqrstuvwxyz".repeat(8);
    const early = await follow();
    const sent = send(`stream ${text}`, "streaming");
    await until(() => early.text.length > 5);
    const late = await follow();
    const later = await follow();
    await sent;
    await until(() => later.facts.length === 1);
    expect([early.text, late.text, later.text]).toEqual([text, text, text]);
  });

  it("ends with the error when the session is not there, or no daemon comes", async () => {
    await start();
    await expect(followSession(client, "gone", { onFact: () => undefined })).rejects.toMatchObject({
      code: "not_found",
    });
    const seen = await follow({ reconnect: { restart: false, giveUpMs: 30 } });
    process.kill(client.daemon.pid, "SIGKILL");
    expect(await seen.following.ended).toMatchObject({ code: "no_daemon" });
  });

  it("ends with its signal, also in the middle of reconnecting", async () => {
    await start();
    const stop = new AbortController();
    const seen = await follow({ signal: stop.signal, reconnect: { restart: false } });
    process.kill(client.daemon.pid, "SIGKILL");
    await until(() => seen.log.includes("lost: lost"));
    stop.abort();
    expect(await seen.following.ended).toBeNull();
  });
});
