import { describe, expect, it } from "vitest";
import { buildPolicy } from "../policy.ts";
import { logDenials } from "./log-denials.ts";
import { seatbeltProfile } from "./profile.ts";

const policy = buildPolicy({
  mode: "workspace-write",
  writableRoots: ["/Users/u/w (1)"],
  readableRoots: [],
  home: "/Users/u",
  tmpDir: "/Users/u/state/tmp/s1",
  privateDirs: ["/Users/u/state"],
  allowRead: ["~/.aws/config"],
});

type Rule = { effect: string; operations: string; rest: string };
const rules = (text: string): Rule[] =>
  text.split("\n").flatMap((line) => {
    const match = /^\((allow|deny) ((?:[\w*-]+ ?)+)(.*)\)$/.exec(line);
    return match ? [{ effect: match[1] ?? "", operations: match[2] ?? "", rest: match[3] ?? "" }] : [];
  });

/** Reads the profile as Seatbelt does: the last rule that matches counts. */
function judge(text: string, operation: string, path: string): string {
  let effect = "allow";
  for (const rule of rules(text)) {
    const covers = rule.operations
      .split(" ")
      .some(
        (one) =>
          one === "default" ||
          one === operation ||
          (one.endsWith("*") && operation.startsWith(one.slice(0, -1))),
      );
    if (!covers || rule.rest.includes("vnode-type")) continue;
    const filters = [...rule.rest.matchAll(/\((subpath|literal|regex) #?"((?:[^"\\]|\\.)*)"\)/g)];
    const hit = filters.some(([, kind, value = ""]) => {
      if (kind === "regex") return new RegExp(value).test(path);
      const plain = value.replace(/\\(.)/g, "$1");
      return path === plain || (kind === "subpath" && path.startsWith(`${plain}/`));
    });
    if (hit || filters.length === 0) effect = rule.effect;
  }
  return effect;
}

describe("seatbeltProfile", () => {
  const text = seatbeltProfile({ policy, writable: true, tag: "lathe-7", gatePorts: [4000] });
  const root = "/Users/u/w (1)";

  it.each([
    ["file-write-create", `${root}/a.txt`, "allow"],
    ["file-write-create", "/Users/u/other", "deny"],
    ["file-write-data", `${root}-sibling/x`, "deny"],
    ["file-write-data", `${root}/.git/index`, "allow"],
    ["file-write-data", `${root}/.git/config`, "deny"],
    ["file-write-create", `${root}/vendor/.GIT/Hooks/pre-commit`, "deny"],
    ["file-write-unlink", `${root}/.git`, "deny"],
    ["file-write-unlink", `${root}/.claude`, "deny"],
    ["file-write-create", `${root}/.lathe/config.json`, "deny"],
    ["file-write-create", "/Users/u/state/tmp/s1/x", "allow"],
    ["file-write-create", "/Users/u/state/db", "deny"],
    ["file-read-data", "/usr/lib/x", "allow"],
    ["file-read-data", "/Users/u/.ssh/id_ed25519", "deny"],
    ["file-read-data", "/Users/u/.AWS/credentials", "deny"],
    ["file-read-data", "/Users/u/.aws/config", "allow"],
    ["file-read-data", `${root}/deep/.env.local`, "deny"],
    ["file-read-data", `${root}/.env.example`, "allow"],
    ["file-read-data", "/Users/u/state/db", "deny"],
    ["file-read-data", "/Users/u/state/tmp/s1/x", "allow"],
    ["file-write-data", "/dev/null", "allow"],
  ])("%s %s: %s", (operation, path, expected) => expect(judge(text, operation, path)).toBe(expected));

  it("tags each denial, closes the network but for the gate, and keeps other programs out", () => {
    for (const rule of rules(text).filter((one) => one.effect === "deny"))
      expect(rule.rest).toContain('"lathe-7"');
    expect(text).toContain('(allow network-outbound (remote ip "localhost:4000"))');
    expect(text).not.toMatch(/remote ip "(localhost|\*):\*"/);
    for (const word of ["lsopen", "appleevent-send", "com.apple.SecurityServer"])
      expect(text).toContain(word);
  });

  it("writes nothing but its temp folder when read-only", () => {
    const closed = seatbeltProfile({ policy, writable: false, tag: "t", gatePorts: [] });
    expect(judge(closed, "file-write-create", `${root}/a.txt`)).toBe("deny");
    expect(judge(closed, "file-write-create", "/Users/u/state/tmp/s1/x")).toBe("allow");
  });
});

describe("logDenials", () => {
  const line = (eventMessage: string): string => JSON.stringify({ eventMessage, processID: 0 });
  it("finds the denials of one command", () => {
    const log = [
      "Filtering the log data",
      line("Sandbox: bash(10) deny(1) file-write-create /Users/u/x y\nlathe-7"),
      line("Sandbox: cat(11) deny(1) file-read-data /Users/u/.ssh/id\nlathe-7"),
      line("Sandbox: curl(12) deny(1) network-outbound 93.184.216.34:443\nlathe-7"),
      line("Sandbox: cat(13) deny(1) file-read-data /Users/u/.ssh/id\nlathe-7"),
      line("Sandbox: other(14) deny(1) file-read-data /Users/u/z\nlathe-8"),
    ].join("\n");
    expect(logDenials(log, "lathe-7")).toEqual([
      { type: "path", path: "/Users/u/x y", operation: "write" },
      { type: "path", path: "/Users/u/.ssh/id", operation: "read" },
      { type: "network", domain: "93.184.216.34:443" },
    ]);
  });
});
