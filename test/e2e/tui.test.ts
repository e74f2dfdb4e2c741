import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { LATHE, type Lab, openLab, until } from "../support/lab.ts";
import { modesLeftOn, openScreen, type Screen, type ScreenOptions } from "../support/terminal.ts";

let lab: Lab;
const screens: Screen[] = [];

afterEach(async () => {
  for (const screen of screens.splice(0)) screen.close();
  await lab.close();
});

function start(args: string[] = [], options: ScreenOptions = {}): Screen {
  const screen = openScreen(lab, args, options);
  screens.push(screen);
  return screen;
}

const bash = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });

describe("the first screen", () => {
  it("says version, folder, model, mode, sandbox and how to quit", async () => {
    lab = await openLab([]);
    const screen = start();
    await screen.see("/exit");
    const first = screen.window().join("\n");
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    for (const part of [version, lab.work, "claude-sonnet-4-6", "ask", "sandbox", "Ctrl-D"])
      expect(first).toContain(part);
  });

  it("keeps letters that were typed before the prompt was drawn", async () => {
    lab = await openLab([]);
    const screen = start();
    screen.type("early letters");
    await screen.see("› early letters");
  });
});

describe("a prompt", () => {
  it("streams the answer, and the next one knows it", async () => {
    lab = await openLab([{ text: "First **answer**.\n" }, { text: "Second." }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("one\r");
    await screen.see("First answer.");
    await screen.see(/1 step/);
    screen.type("\r \r");
    screen.type("\x15two\r");
    await screen.see("Second.");
    await until("two requests", () => lab.model.requests.length === 2);
    expect(JSON.stringify(lab.model.requests[1]?.body)).toContain("First **answer**.");
    expect(lab.problems()).toEqual([]);
  });

  it("shows text as it arrives", async () => {
    lab = await openLab([
      { text: Array.from({ length: 20 }, (_, n) => `w${n} `).join(""), chunkSize: 4, delayMs: 50 },
    ]);
    const screen = start();
    await screen.see("/exit");
    const seen = new Set<string>();
    screen.pty.onData(() => seen.add(/w0.*/.exec(screen.window().join("\n"))?.[0] ?? ""));
    screen.type("go\r");
    await screen.see(/1 step/);
    expect(seen.size).toBeGreaterThanOrEqual(12);
  });

  it("goes on after a failed turn", async () => {
    lab = await openLab([{ error: { status: 400, message: "that went wrong" } }, { text: "fine again" }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("one\r");
    await screen.see("that went wrong");
    await screen.see(/0 steps|1 step/);
    screen.type("two\r");
    await screen.see("fine again");
  });

  it("is interrupted by Esc; what was written stays", async () => {
    lab = await openLab([{ text: "some words that stay. ".repeat(20), hold: 100 }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("some words that stay");
    screen.type("\x1b");
    await screen.see("interrupted");
    expect(screen.rows().join("\n")).toContain("some words that stay");
  });

  it("sends a large paste whole and shows it as a chip", async () => {
    lab = await openLab([{ text: "read" }]);
    const screen = start();
    await screen.see("/exit");
    const lines = Array.from({ length: 3000 }, (_, index) => `pasted line ${index}`);
    screen.type(`\x1b[200~${lines.join("\r\n")}\x1b[201~`);
    await screen.see("[pasted #1: 3000 lines]");
    screen.type("\r");
    await until("the request", () => lab.model.requests.length > 0);
    expect(JSON.stringify(lab.model.requests[0]?.body)).toContain("pasted line 0\\npasted line 1\\n");
    expect(JSON.stringify(lab.model.requests[0]?.body)).toContain("pasted line 2999");
  });
});

describe("an approval", () => {
  it("runs the command on y, with the hidden characters spelled out before", async () => {
    lab = await openLab([bash("touch made-\u202eby-y"), { text: "done now" }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("touch made-\\u{202e}by-y");
    screen.type("y");
    await screen.see("done now");
    expect(readFileSync(join(lab.work, "made-\u202eby-y"), "utf8")).toBe("");
  });

  it("shows the diff of an edit with line numbers", async () => {
    lab = await openLab([
      { calls: [{ name: "read_file", input: { path: "a.txt" } }] },
      { calls: [{ name: "edit_file", input: { path: "a.txt", old_text: "two", new_text: "2" } }] },
      { text: "done now" },
    ]);
    writeFileSync(join(lab.work, "a.txt"), "one\ntwo\nthree\n");
    const screen = start();
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see(/2 - two\n +2 \+ 2/);
    expect(readFileSync(join(lab.work, "a.txt"), "utf8")).toContain("two");
    screen.type("y");
    await screen.see("done now");
    expect(readFileSync(join(lab.work, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  });

  it.each(["\r", "n"])("denies on %j", async (key) => {
    lab = await openLab([bash("touch never"), { text: "as you like" }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("no (Enter is no)");
    screen.type(key);
    await screen.see("as you like");
    expect(screen.rows().join("\n")).toContain("denied");
    expect(JSON.stringify(lab.model.requests[1]?.body)).toMatch(/denied/i);
    expect(() => readFileSync(join(lab.work, "never"))).toThrow();
  });

  it("carries a word to the model, and closes on every screen", async () => {
    lab = await openLab([bash("touch never"), { text: "as you like" }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("no (Enter is no)");
    const other = start(["-c"]);
    await other.see("no (Enter is no)");
    screen.type("m");
    await screen.see("no, because:");
    screen.type("use another name\r");
    await screen.see("as you like");
    await other.see("as you like");
    expect(JSON.stringify(lab.model.requests[1]?.body)).toContain("use another name");
    await until("the dialog is gone", () => !other.window().join("\n").includes("Enter is no"));
  });
});

describe("commands and exit words", () => {
  it("lists commands, hints at unknown ones, clears, without asking the model", async () => {
    lab = await openLab([{ text: "one" }, { text: "two" }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("/help\r");
    await screen.see("/sessions [search]");
    screen.type("/modle\r");
    await screen.see("did you mean /mod");
    screen.type("forget-this\r");
    await screen.see(/1 step/);
    screen.type("/clear\r");
    await screen.see("cleared");
    screen.type("second\r");
    await until("two requests", () => lab.model.requests.length === 2);
    expect(JSON.stringify(lab.model.requests[1]?.body)).not.toContain("forget-this");
  });

  it.each(["exit\r", " QUIT \r", "q\r", "/exit\r", "\x04", "\x03"])(
    "leaves on %j with code 0 and the totals",
    async (text) => {
      lab = await openLab([]);
      const screen = start();
      await screen.see("/exit");
      screen.type(text);
      expect(await screen.exited()).toMatchObject({ code: 0 });
      expect(screen.rows().join("\n")).toMatch(/tokens: \S+ in, \S+ out/);
    },
  );

  it("recalls prompts of earlier screens", async () => {
    lab = await openLab([{ text: "one" }]);
    const first = start();
    await first.see("/exit");
    first.type("a prompt to recall\r");
    await first.see(/1 step/);
    first.type("\x04");
    await first.exited();
    const second = start();
    await second.see("/exit");
    second.type("\x1b[A");
    await second.see("› a prompt to recall");
  });
});

describe("the terminal", () => {
  const ways: [string, (screen: Screen) => void][] = [
    ["the exit word", (screen) => screen.type("exit\r")],
    ["SIGTERM", (screen) => process.kill(screen.pty.pid, "SIGTERM")],
    ["SIGHUP", (screen) => process.kill(screen.pty.pid, "SIGHUP")],
    ["SIGINT", (screen) => process.kill(screen.pty.pid, "SIGINT")],
  ];
  it.each(ways)("gets its modes back on %s", async (_, leave) => {
    lab = await openLab([{ text: "words ".repeat(100), hold: 100 }]);
    // A shell around it shows what stty says before and after.
    const script = `stty -a | tr -d '\\n' > before; "$0" "$@"; stty -a | tr -d '\\n' > after; echo finished`;
    const screen = start([], {
      command: ["/bin/sh", "-c", `echo $$ > pid; ${script}`, process.execPath, LATHE],
    });
    await screen.see("/exit");
    const child = Number(
      execFileSync("pgrep", ["-P", String(screen.pty.pid)], { encoding: "utf8" })
        .trim()
        .split("\n")[0],
    );
    leave({ ...screen, pty: { ...screen.pty, pid: child } as Screen["pty"] });
    await screen.see("finished");
    expect(modesLeftOn(screen.raw())).toEqual([]);
    expect(readFileSync(join(lab.work, "after"), "utf8")).toBe(
      readFileSync(join(lab.work, "before"), "utf8"),
    );
  });

  it("is left with nothing worse than raw mode and bracketed paste by kill -9; the turn goes on", async () => {
    lab = await openLab([{ text: "first part, second part", hold: 12 }, { text: "unused" }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("first part");
    process.kill(screen.pty.pid, "SIGKILL");
    await screen.exited();
    expect(modesLeftOn(screen.raw())).toEqual(["2004"]);
    lab.model.release();
    const again = start(["-c"]);
    await again.see("first part, second part");
    await again.see(/1 step/);
  });

  it("is given back while stopped, taken again afterwards", async () => {
    lab = await openLab([]);
    const screen = start();
    await screen.see("/exit");
    process.kill(screen.pty.pid, "SIGTSTP");
    await until("stopped", () => modesLeftOn(screen.raw()).length === 0);
    await until("stopped", () => / T /.test(readFileSync(`/proc/${screen.pty.pid}/stat`, "utf8")));
    process.kill(screen.pty.pid, "SIGCONT");
    await until("on again", () => modesLeftOn(screen.raw()).length === 1);
    screen.type("typed after");
    await screen.see("› typed after");
  });

  it.each([true, false])(
    "keeps every line once while it is resized in mid-stream (reflow: %s)",
    async (reflow) => {
      const lines = Array.from(
        { length: 120 },
        (_, n) => `marker-${String(n).padStart(3, "0")} ${"filler words ".repeat(n % 12)}`,
      );
      const text = lines.map((line, n) => (n % 10 === 9 ? `${line}\n` : line)).join("\n");
      lab = await openLab([{ text, tokensPerSecond: 400 }]);
      const screen = start([], { columns: 120, rows: 40, reflow });
      await screen.see("/exit");
      screen.type("go\r");
      const sizes: [number, number][] = [
        [90, 30],
        [40, 20],
        [90, 30],
        [120, 40],
      ];
      for (const [index, [columns, rows]] of sizes.entries()) {
        await screen.see(`marker-0${(index + 1) * 2}0`);
        screen.resize(columns, rows);
      }
      await screen.see(/1 step/);
      const all = screen.rows().join("\n");
      for (let n = 0; n < 120; n++) {
        const marker = `marker-${String(n).padStart(3, "0")}`;
        expect([marker, all.split(marker).length - 1]).toEqual([marker, 1]);
      }
      expect(all.match(/Esc interrupts/g)).toBeNull();
      expect(screen.raw()).not.toMatch(/\x1b\[[23]J|\x1b\[\?1049h/);
    },
  );

  it("is silent when nothing happens", async () => {
    lab = await openLab([]);
    const screen = start();
    await screen.see("/exit");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = screen.raw().length;
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(screen.raw().length - before).toBe(0);
  });

  it("gets no control sequence from a model or a command", async () => {
    const hostile = "hi \x1b]52;c;aGk=\x07 \x1b[31mred \x1b[2J │ end";
    lab = await openLab([
      { text: hostile, ...bash("printf '\\033]0;title\\007 shown\\n'") },
      { text: "over" },
    ]);
    const screen = start(["--permission-mode", "auto"]);
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("over");
    expect(screen.raw()).not.toMatch(/\x1b\]|\x1b\[2J|\x1b\[31mred/);
  });

  it("comes back to the daemon that was started anew", async () => {
    lab = await openLab([{ text: "one" }, { text: "after the restart" }]);
    const screen = start();
    await screen.see("/exit");
    screen.type("first\r");
    await screen.see(/1 step/);
    process.kill((await lab.daemonPid()) ?? 0, "SIGKILL");
    await screen.see("connected again");
    screen.type("second\r");
    await screen.see("after the restart");
  });
});

describe("a dumb terminal", () => {
  it("gets append-only text", async () => {
    lab = await openLab([
      { text: "| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n\n\x1b[2Jhi" },
      bash("touch x"),
      { text: "bye" },
    ]);
    const screen = start([], { env: { TERM: "dumb" } });
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("item");
    await screen.see(/1 step/);
    screen.type("run\r");
    await screen.see("no (Enter is no)");
    screen.type("\r");
    await screen.see("bye");
    screen.type("exit\r");
    expect(await screen.exited()).toMatchObject({ code: 0 });
    expect(screen.raw()).not.toMatch(/\x1b|[\u2500-\u257f]|\r(?!\n)/);
  });
});

describe("while a turn runs", () => {
  it("steers with Enter, queues with Alt-Enter, gives a waiting prompt back with Up", async () => {
    lab = await openLab([{ ...bash("true"), hold: "end" }, { text: "steered answer" }, { text: "unused" }]);
    const screen = start(["--permission-mode", "auto"]);
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("Esc interrupts");
    screen.type("steer this way\r");
    await screen.see("next: steer this way");
    screen.type("and later this\x1b\r");
    await screen.see("later: and later this");
    screen.type("\x1b[A");
    await screen.see("› and later this");
    screen.type("\x15");
    lab.model.release();
    await screen.see("steered answer");
    expect(JSON.stringify(lab.model.requests[1]?.body)).toContain("steer this way");
    await screen.see(/2 steps/);
    expect(lab.model.requests).toHaveLength(2);
    expect(lab.problems()).toEqual([]);
  });

  it("keeps the lines whole while somebody types and resizes", async () => {
    const text = Array.from(
      { length: 60 },
      (_, n) => `marker-${String(n).padStart(2, "0")} with some words\n`,
    ).join("\n");
    lab = await openLab([{ text, tokensPerSecond: 300 }]);
    const screen = start([], { columns: 100, rows: 30 });
    await screen.see("/exit");
    screen.type("go\r");
    await screen.see("marker-05");
    screen.type("half a steering prompt");
    for (const [columns, rows] of [
      [80, 30],
      [50, 20],
      [100, 30],
    ] as const) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      screen.resize(columns, rows);
    }
    await screen.see(/1 step/);
    const all = screen.rows().join("\n");
    for (let n = 0; n < 60; n++) {
      const marker = `marker-${String(n).padStart(2, "0")}`;
      expect([marker, all.split(marker).length - 1]).toEqual([marker, 1]);
    }
    expect(screen.window().join("\n")).toContain("› half a steering prompt");
  });
});

describe("sessions", () => {
  it("are picked with -r, and shown whole", async () => {
    lab = await openLab([{ text: "answer one" }, { text: "answer two" }]);
    await lab.run(["-p", "the first task"]);
    await lab.run(["-p", "the second task"]);
    const screen = start(["-r"]);
    await screen.see("the second task");
    screen.type("first");
    await until("only the first", () => !screen.window().join("\n").includes("second task"));
    screen.type("\r");
    await screen.see("answer one");
    expect(screen.rows().join("\n")).toContain("› the first task");
    expect(screen.rows().join("\n")).not.toContain("answer two");
  });

  it("of many messages show their end at once", async () => {
    lab = await openLab((_, index) => ({ text: `answer number ${index}` }));
    for (let turn = 0; turn < 3; turn++) await lab.run(["-p", `task ${turn}`, ...(turn > 0 ? ["-c"] : [])]);
    const screen = start(["-c"]);
    await screen.see("answer number 2");
    expect(screen.rows().join("\n").indexOf("answer number 0")).toBeLessThan(
      screen.rows().join("\n").indexOf("answer number 2"),
    );
  });
});

describe("keys", () => {
  it("sends what was typed with Enter before the screen was there", async () => {
    lab = await openLab([{ text: "early answer" }]);
    const screen = start();
    screen.type("early prompt\r");
    await screen.see("early answer");
  });

  it("goes round the modes, shows whole output, uses the editor of the user", async () => {
    lab = await openLab([bash("seq 1 30"), { text: "counted" }]);
    writeFileSync(join(lab.outside, "ed.sh"), '#!/bin/sh\nprintf "from the editor" > "$1"\n', {
      mode: 0o755,
    });
    const screen = start([], { env: { EDITOR: join(lab.outside, "ed.sh") }, rows: 50 });
    await screen.see("/exit");
    screen.type("\x1b[Z");
    await screen.see("mode accept-edits");
    screen.type("count\r");
    await screen.see("counted");
    expect(screen.rows().join("\n")).not.toMatch(/\n25\n/);
    screen.type("\x0f");
    await screen.see(/\n25\n/);
    screen.type("\x07");
    await screen.see("› from the editor");
    expect(modesLeftOn(screen.raw())).toEqual(["2004"]);
  });
});
