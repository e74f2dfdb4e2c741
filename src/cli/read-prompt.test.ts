import { closeSync, openSync } from "node:fs";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readPrompt } from "./read-prompt.ts";
import { testHost } from "./testing/test-host.ts";

it("joins the arguments and what is piped", async () => {
  expect(await readPrompt(testHost({ input: "data\n" }), "look at this")).toBe("look at this\n\ndata\n");
  expect(await readPrompt(testHost({ input: "only data" }), "")).toBe("only data");
  expect(await readPrompt(testHost({ input: "" }), "only args")).toBe("only args");
});

it("puts characters together that are split over chunks", async () => {
  const bytes = Buffer.from("zwölf €");
  const chunks = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
  expect(await readPrompt(testHost({ input: chunks }), "")).toBe("zwölf €");
});

it("never reads a terminal", async () => {
  const stdin = Object.assign(new Readable({ read: () => undefined }), { isTTY: true });
  expect(await readPrompt(testHost({ stdin }), "args")).toBe("args");
});

it("does not wait for a silent pipe when there is a prompt, and says so; waits for it when there is none", async () => {
  const silent = testHost({ input: new Readable({ read: () => undefined }) });
  expect(await readPrompt(silent, "args")).toBe("args");
  expect(silent.err()).toContain("nothing came on standard input");
  const late = new Readable({ read: () => undefined });
  const waiting = readPrompt(testHost({ input: late }), "");
  setTimeout(() => {
    late.push("late");
    late.push(null);
  }, 1100);
  expect(await waiting).toBe("late");
});

it("a slow pipe that has begun is read to its end", async () => {
  const slow = new Readable({ read: () => undefined });
  slow.push("a");
  const waiting = readPrompt(testHost({ input: slow }), "args");
  setTimeout(() => {
    slow.push("b");
    slow.push(null);
  }, 1200);
  expect(await waiting).toBe("args\n\nab");
});

it("/dev/null and a closed descriptor hold nothing", async () => {
  const fd = openSync("/dev/null", "r");
  const stdin = Object.assign(new Readable({ read: () => undefined }), { fd });
  expect(await readPrompt(testHost({ stdin }), "args")).toBe("args");
  await expect(readPrompt(testHost({ stdin }), "")).rejects.toMatchObject({ code: "bad_input" });
  closeSync(fd);
  const closed = Object.assign(new Readable({ read: () => undefined }), { fd: 1_000_000 });
  expect(await readPrompt(testHost({ stdin: closed }), "args")).toBe("args");
});

it("more than 10 MiB is refused with the way out, and the pipe is let go", async () => {
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(1024 * 1024, 97));
    },
  });
  await expect(readPrompt(testHost({ input: endless }), "args")).rejects.toMatchObject({
    code: "bad_input",
    message: expect.stringContaining("larger than 10 MiB"),
  });
  expect(endless.isPaused()).toBe(true);
});

it("no prompt at all is an error that says how to give one", async () => {
  await expect(readPrompt(testHost({ input: " \n" }), "  ")).rejects.toMatchObject({
    code: "bad_input",
    message: expect.stringContaining("lathe -p"),
  });
});
