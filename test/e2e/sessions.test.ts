import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Lab, openLab, resultOf } from "../support/lab.ts";
import { expectPrefix } from "../support/prefix.ts";
import { messagesOf } from "../support/wire.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const JSON_OUT = ["--output-format", "json"];
const sessionOf = (run: Parameters<typeof resultOf>[0]): string => String(resultOf(run).session_id);

describe("sessions", () => {
  it("go on by -c, -r and a part of the id; a fork shares the prefix and leaves the first alone", async () => {
    lab = await openLab((_, index) => ({ text: `answer ${index}` }));
    const first = sessionOf(await lab.run(["-p", "alpha", ...JSON_OUT]));
    const other = sessionOf(await lab.run(["-p", "beta", ...JSON_OUT]));
    expect(other).not.toBe(first);
    expect(sessionOf(await lab.run(["-p", "to the last", "-c", ...JSON_OUT]))).toBe(other);
    expect(sessionOf(await lab.run(["-p", "to the first", "-r", first, ...JSON_OUT]))).toBe(first);
    await lab.run(["daemon", "stop"]);
    const fork = sessionOf(await lab.run(["-p", "aside", "-r", first, "--fork-session", ...JSON_OUT]));
    expect([first, other]).not.toContain(fork);
    const back = await lab.run(["-p", "and on", "-r", first, ...JSON_OUT]);
    expect(sessionOf(back)).toBe(first);
    const { requests } = lab.model;
    expect(requests).toHaveLength(6);
    expectPrefix(requests[1], requests[2]);
    expectPrefix(requests[0], requests[3]);
    expectPrefix(requests[3], requests[4]);
    expectPrefix(requests[3], requests[5]);
    expect(JSON.stringify(messagesOf(requests[4]))).toMatch(/alpha.*to the first.*aside/);
    expect(JSON.stringify(messagesOf(requests[5]))).not.toContain("aside");
    expect(lab.problems()).toEqual([]);
  });

  it("can be listed, shown, exported and deleted", async () => {
    lab = await openLab([
      { text: "I write.", calls: [{ name: "write_file", input: { path: "n.txt", content: "x" } }] },
      { text: "written" },
      { text: "other" },
    ]);
    const id = sessionOf(await lab.run(["-p", "write a note", "--permission-mode", "auto", ...JSON_OUT]));
    await lab.run(["-p", "another", "--name", "My title", ...JSON_OUT]);
    const list = await lab.run(["sessions", "list"]);
    expect(list.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(list.stdout).toContain("write a note");
    expect(list.stdout).toContain("My title");
    const found = await lab.run(["sessions", "list", "--search", "note", "--json"]);
    expect(JSON.parse(found.stdout)).toMatchObject([{ id, status: "idle" }]);
    const elsewhere = await lab.run(["sessions", "list"], { cwd: lab.outside });
    expect(elsewhere).toMatchObject({ code: 0, stdout: "" });
    expect((await lab.run(["sessions", "list", "--all"], { cwd: lab.outside })).stdout).toContain(id);
    const shown = await lab.run(["sessions", "show", id]);
    for (const part of ["> write a note", "write_file", "Created n.txt", "written"])
      expect(shown.stdout).toContain(part);
    const exported = await lab.run(["sessions", "export", id, "out.json"]);
    expect(exported.code).toBe(0);
    const path = join(lab.work, "out.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const value = JSON.parse(readFileSync(path, "utf8")) as { messages: { kind: string }[] };
    expect(value.messages.map(({ kind }) => kind)).toEqual(["prompt", "reply", "tool_results", "reply"]);
    expect(await lab.run(["sessions", "export", id, "out.json"])).toMatchObject({ code: 42 });
    expect(await lab.run(["sessions", "delete", id])).toMatchObject({ code: 0 });
    expect(await lab.run(["sessions", "show", id])).toMatchObject({ code: 42 });
    expect((await lab.run(["sessions", "list"])).stdout).not.toContain(id);
  });

  it("refuses what cannot be gone on with, by name", async () => {
    lab = await openLab([{ text: "x" }]);
    const nothing = await lab.run(["-p", "x", "-c"]);
    expect(nothing.code).toBe(42);
    expect(nothing.stderr).toContain(lab.work);
    const unknown = await lab.run(["-p", "x", "-r", "no-such-session"]);
    expect(unknown.code).toBe(42);
    expect(unknown.stderr).toContain("no-such-session");
    expect(lab.model.requests).toHaveLength(0);
  });
});
