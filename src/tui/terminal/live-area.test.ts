import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, span } from "../text/line.ts";
import { chooseTheme } from "../theme/theme.ts";
import { createLiveArea, fitRows } from "./live-area.ts";

const theme = chooseTheme({});
const line = (text: string): Line =>
  text === "" ? [] : [span("plain", text.slice(0, 2)), span("bold", text.slice(2))];
const write = (terminal: InstanceType<typeof xterm.Terminal>, bytes: string) =>
  new Promise<void>((done) => terminal.write(bytes, done));

function rowsOf(terminal: InstanceType<typeof xterm.Terminal>): string[] {
  const { active } = terminal.buffer;
  const rows: string[] = [];
  for (let row = 0; row < active.length; row++) rows.push(active.getLine(row)?.translateToString(true) ?? "");
  while (rows.at(-1) === "") rows.pop();
  return rows;
}

const text = fc.constantFrom(
  "",
  "one",
  "one more",
  "日本語 text",
  "👍 thumbs",
  "a longer line of words",
  "one mist",
);

describe("the live area", () => {
  it("shows exactly what was committed, then what is live, whatever was there", async () => {
    const frame = fc.record({
      commit: fc.array(text, { maxLength: 6 }),
      live: fc.array(text, { minLength: 1, maxLength: 7 }),
      park: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (frames) => {
        const terminal = new xterm.Terminal({ cols: 40, rows: 8, scrollback: 1000, allowProposedApi: true });
        const area = createLiveArea(theme, true);
        const committed: string[] = [];
        for (const { commit, live, park } of frames) {
          const caret = { row: live.length - 1, column: 3 };
          await write(terminal, area.draw({ commit: commit.map(line), live: live.map(line), caret, park }));
          committed.push(...commit);
          const expected = [...committed, ...live];
          while (expected.at(-1) === "") expected.pop();
          expect(rowsOf(terminal)).toEqual(expected);
          const { baseY, cursorY, cursorX } = terminal.buffer.active;
          expect(baseY + cursorY).toBe(committed.length + (park ? 0 : caret.row));
          expect(cursorX).toBe(park ? 0 : caret.column);
        }
        terminal.dispose();
      }),
      { numRuns: 60 },
    );
  });

  it("writes nothing when nothing changed, and little when little did", () => {
    const area = createLiveArea(theme, true);
    const picture = (words: string) => ({
      commit: [],
      live: [line(words), line("status")],
      caret: { row: 0, column: 2 },
      park: false,
    });
    area.draw(picture("some words that stand here"));
    expect(area.draw(picture("some words that stand here"))).toBe("");
    const bytes = area.draw(picture("some words that stand here!"));
    expect(bytes).not.toContain("some words");
    expect(bytes.length).toBeLessThan(70);
  });

  it.each([
    ["breaks lines anew", true],
    ["cuts lines", false],
  ])("leaves the scrollback whole and no residue in a terminal that %s", async (_, reflow) => {
    const terminal = new xterm.Terminal({
      cols: 60,
      rows: 12,
      scrollback: 1000,
      allowProposedApi: true,
      windowsPty: reflow ? {} : { backend: "winpty", buildNumber: 1 },
    });
    const area = createLiveArea(theme, true);
    const sizes = [60, 40, 21, 45, 60];
    let count = 0;
    for (const columns of sizes) {
      terminal.resize(columns, columns === 21 ? 8 : 12);
      area.resized(columns);
      const commit = [line(`marker ${count++}`), line(`marker ${count++} ${"w".repeat(10)}`)];
      const live = [
        line("tail ".repeat(Math.floor((columns - 1) / 5))),
        line("spinner"),
        line("editor"),
        line("status"),
      ];
      await write(terminal, area.draw({ commit, live, caret: { row: 2, column: 0 }, park: true }));
    }
    const rows = rowsOf(terminal);
    for (let marker = 0; marker < count; marker++) {
      expect(rows.filter((row) => new RegExp(`^marker ${marker}\\b`).test(row))).toHaveLength(1);
    }
    for (const residue of ["spinner", "editor", "status"])
      expect(rows.filter((row) => row === residue)).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith("tail"))).toHaveLength(1);
  });

  it("keeps the newest rows when there is no room for all", () => {
    expect(fitRows([line("1"), line("2"), line("3")], [line("edit")], 3)).toEqual({
      live: [line("2"), line("3"), line("edit")],
      hidden: 1,
    });
  });
});
