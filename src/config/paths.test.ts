import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseMode } from "./modes.ts";
import { lathePaths } from "./paths.ts";
import { type Folders, makeFolders } from "./testing/folders.ts";
import { createTrust } from "./trust.ts";

describe("lathePaths", () => {
  const at = (environment: Record<string, string>, home = "/home/u") =>
    lathePaths({ environment, home, uid: 7 });
  it("follows XDG, and the home where it is unset or relative", () => {
    const own = at({ XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_RUNTIME_DIR: "/r" });
    expect(own).toMatchObject({
      configFile: "/c/lathe/config.json",
      stateDir: "/s/lathe",
      socketPath: "/r/lathe/daemon.sock",
    });
    expect(at({ XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" })).toMatchObject({
      configFile: "/home/u/.config/lathe/config.json",
      stateDir: "/home/u/.local/state/lathe",
      socketPath: "/home/u/.local/state/lathe/run/daemon.sock",
    });
  });
  it("never gives a socket path of more than 100 bytes", () => {
    const long = `/${"ä".repeat(60)}`;
    expect(at({ XDG_RUNTIME_DIR: long }).socketPath).toBe("/home/u/.local/state/lathe/run/daemon.sock");
    expect(at({ XDG_RUNTIME_DIR: long }, long).socketPath).toBe("/tmp/lathe-7/daemon.sock");
  });
});

describe("trust", () => {
  let folders: Folders;
  beforeEach(() => {
    folders = makeFolders();
  });
  afterEach(() => folders.remove());

  it("holds for the real folder and what lies below, until it is taken back", async () => {
    const trust = createTrust(folders.paths);
    const link = join(folders.paths.home, "link");
    symlinkSync(folders.cwd, link);
    mkdirSync(join(folders.cwd, "sub"));
    mkdirSync(`${folders.cwd}-other`);
    expect(trust.isTrusted(folders.cwd)).toBe(false);
    expect(await trust.set(link, true)).toBe(folders.cwd);
    expect([folders.cwd, link, join(folders.cwd, "sub")].map(trust.isTrusted)).toEqual([true, true, true]);
    expect([`${folders.cwd}-other`, dirname(folders.cwd), "/nowhere"].map(trust.isTrusted)).toEqual([
      false,
      false,
      false,
    ]);
    expect(statSync(folders.paths.trustFile).mode & 0o777).toBe(0o600);
    await trust.set(folders.cwd, false);
    expect(trust.isTrusted(folders.cwd)).toBe(false);
  });

  it("refuses the root and what is not there, and says when its file is broken", async () => {
    const trust = createTrust(folders.paths);
    await expect(trust.set("/", true)).rejects.toMatchObject({ code: "bad_input" });
    await expect(trust.set("/nowhere", true)).rejects.toMatchObject({ code: "bad_input" });
    mkdirSync(dirname(folders.paths.trustFile), { recursive: true });
    writeFileSync(folders.paths.trustFile, "{");
    expect(() => trust.isTrusted(folders.cwd)).toThrow(/not a JSON list/);
    await expect(trust.set(folders.cwd, true)).rejects.toMatchObject({ code: "config" });
    expect(readFileSync(folders.paths.trustFile, "utf8")).toBe("{");
  });
});

it.each([
  ["default", "ask"],
  ["manual", "ask"],
  ["dontAsk", "ask"],
  ["acceptEdits", "accept-edits"],
  ["accept-edits", "accept-edits"],
  ["plan", "read-only"],
  ["Auto", "auto"],
  ["bypassPermissions", "bypass"],
  ["full", "bypass"],
])("parseMode takes %s for %s", (text, mode) => expect(parseMode(text)).toEqual({ ok: true, value: mode }));

it("parseMode names what it does not know", () => {
  for (const text of ["", "toString", "constructor", "yes"]) {
    expect(parseMode(text)).toEqual({ ok: false, error: expect.stringContaining("there are ask") });
  }
});
