import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKeyDecoder } from "../input/keys.ts";
import { emptyView, type View } from "../view-state/view.ts";
import { handleKey } from "./handle-key.ts";
import { scoreOf } from "./project-files.ts";
import { appendHistory, readHistory } from "./prompt-history.ts";
import { commandCompletions, parseCommand } from "./slash-commands.ts";
import { type Action, newUi, type Ui } from "./ui.ts";

const idle = emptyView("1");
const running: View = { ...idle, turn: { startedAt: 0, interrupting: false } };

function press(bytes: string, view: View, from: Ui = newUi([])): { ui: Ui; actions: Action[] } {
  const decoder = createKeyDecoder();
  let ui = from;
  const actions: Action[] = [];
  for (const key of [...decoder.feed(Buffer.from(bytes)), ...decoder.flush()]) {
    const handled = handleKey(ui, view, key, 10_000);
    ui = handled.ui;
    actions.push(...handled.actions);
  }
  return { ui, actions };
}

describe("keys on the screen", () => {
  it("Enter sends, and steers while a turn runs; Alt-Enter breaks the line, and queues while a turn runs", () => {
    expect(press("hi\r", idle).actions).toEqual([{ type: "send", text: "hi", delivery: "steer" }]);
    expect(press("hi\x1b\r", running).actions).toEqual([{ type: "send", text: "hi", delivery: "queue" }]);
    expect(press("hi\x1b\rthere", idle).ui.editor.text).toBe("hi\nthere");
    expect(press("hi\\\rthere", idle).ui.editor.text).toBe("hi\nthere");
    expect(press("hi\nthere\x1b[13;2u", idle).ui.editor.text).toBe("hi\nthere\n");
  });

  it("sends nothing when nothing is written", () => {
    expect(press("\r \r", idle).actions).toEqual([]);
  });

  it("Ctrl-C clears, then interrupts, then leaves", () => {
    const cleared = press("hi\x03", idle);
    expect([cleared.ui.editor.text, cleared.actions]).toEqual(["", []]);
    expect(press("\x03", running).actions).toEqual([{ type: "interrupt" }]);
    expect(press("\x03\x03", running).actions).toEqual([{ type: "interrupt" }, { type: "leave" }]);
    expect(press("\x03", idle).actions).toEqual([{ type: "leave" }]);
  });

  it("Ctrl-D leaves only when nothing is written", () => {
    expect(press("\x04", idle).actions).toEqual([{ type: "leave" }]);
    expect(press("ab\x1b[D\x04", idle)).toMatchObject({ actions: [], ui: { editor: { text: "a" } } });
  });

  it("Up goes through history and gives the draft back", () => {
    const ui = newUi(["first", "second"]);
    expect(press("draft\x1b[A\x1b[A", idle, ui).ui.editor.text).toBe("first");
    expect(press("draft\x1b[A\x1b[A\x1b[A\x1b[B\x1b[B", idle, ui).ui.editor.text).toBe("draft");
    expect(press("\x12irs", idle, ui).ui.editor.text).toBe("first");
  });

  it("Up takes a waiting prompt back first", () => {
    const view: View = { ...running, queue: [{ id: "p1", delivery: "queue", text: "later", at: 0 }] };
    expect(press("\x1b[A", view).actions).toEqual([{ type: "take_back", promptId: "p1" }]);
  });
});

describe("slash commands", () => {
  it("are words after a slash at the beginning, not paths", () => {
    expect(parseCommand("/help", idle)).toMatchObject({ type: "show", title: "help" });
    expect(parseCommand("/usr/bin/env is broken", idle)).toBeNull();
    expect(parseCommand("say /help", idle)).toBeNull();
    expect(parseCommand("/mode auto", idle)).toEqual({ type: "mode", mode: "auto" });
    expect(parseCommand("/greet Ann", { ...idle, skills: ["greet"] })).toBeNull();
    expect(parseCommand("/nonsense", idle)).toMatchObject({
      type: "show",
      title: "there is no command /nonsense",
    });
    expect(parseCommand("CLEAR", idle)).toEqual({ type: "clear" });
  });

  it("are completed, and so are modes", () => {
    expect(commandCompletions("/mo")?.items.map((item) => item.insert)).toEqual(["/model ", "/mode "]);
    expect(commandCompletions("/mode a")?.items.map((item) => item.insert)).toEqual([
      "ask",
      "accept-edits",
      "auto",
    ]);
    expect(commandCompletions("/rev", ["review", "deploy"])?.items.map((item) => item.insert)).toEqual([
      "/review ",
    ]);
    expect(commandCompletions("text")).toBeNull();
  });
});

describe("files and history", () => {
  it("ranks names before paths before scattered letters", () => {
    const paths = ["src/tui/editor.ts", "editor/readme.md", "src/e-d-i-t.ts", "docs/the-editor.md"];
    const ranked = paths.map((path) => [path, scoreOf(path, "edit")] as const);
    expect(Object.fromEntries(ranked)).toEqual({
      "src/tui/editor.ts": 0,
      "editor/readme.md": 2,
      "src/e-d-i-t.ts": 3,
      "docs/the-editor.md": 1,
    });
    expect(scoreOf("a.ts", "zz")).toBeNull();
  });

  it("keeps prompts of any content, a bounded number of them, and survives a broken line", () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-history-"));
    try {
      const file = join(folder, "state", "history.jsonl");
      expect(readHistory(file)).toEqual([]);
      appendHistory(file, 'two\nlines "quoted" 日本');
      expect(readHistory(file)).toEqual(['two\nlines "quoted" 日本']);
      writeFileSync(
        file,
        `not json\n${Array.from({ length: 3000 }, (_, index) => JSON.stringify(`p${index}`)).join("\n")}\n`,
      );
      expect(readHistory(file)).toHaveLength(1000);
      expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(1000);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
