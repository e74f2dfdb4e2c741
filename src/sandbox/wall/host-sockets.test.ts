import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hostSockets } from "./host-sockets.ts";

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-sockets-")));
  mkdirSync(join(folder, "own"));
  server = createServer();
  await new Promise<void>((done) => server.listen(join(folder, "own", "s"), done));
});
afterEach(async () => {
  chmodSync(join(folder, "own"), 0o700);
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

const found = (): boolean => hostSockets([], [], []).includes(join(folder, "own", "s"));

it.runIf(process.platform === "linux")("finds a socket that commands could connect to", () => {
  expect(found()).toBe(true);
});

it.runIf(process.platform === "linux")(
  "leaves out one in a folder that nobody but its owner may enter",
  () => {
    chmodSync(join(folder, "own"), 0o000);
    // Root owns what it makes, so for root the folder is given to somebody else.
    if (process.getuid?.() === 0) {
      chownSync(join(folder, "own"), 65534, 65534);
      chmodSync(join(folder, "own"), 0o700);
    }
    expect(found()).toBe(false);
  },
);
