import { errorCode, errorMessage } from "../../shared/error.ts";
import { stripControls } from "../../shared/text.ts";
import { NOTHING_YET } from "../blocks/compose.ts";
import { approvalBody } from "../components/dialog.ts";
import { wholeText, withText } from "../input/editor.ts";
import { createKeyDecoder, type Key } from "../input/keys.ts";
import type { Frame } from "../markdown/frame.ts";
import { openSessionLink, type SessionLink } from "../session-link.ts";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";
import { UNICODE } from "../theme/glyphs.ts";
import { plainText, type Theme } from "../theme/theme.ts";
import type { TuiHost, TuiStart } from "../tui-host.ts";
import { reduce } from "../view-state/reduce.ts";
import { emptyView, type View, type ViewEvent } from "../view-state/view.ts";
import { complete } from "./complete.ts";
import { editExternally } from "./external-editor.ts";
import { farewell } from "./farewell.ts";
import { handleKey } from "./handle-key.ts";
import { pictureOf } from "./picture.ts";
import { appendHistory, readHistory } from "./prompt-history.ts";
import { runCommand, toNextMode } from "./run-command.ts";
import { isExitWord, parseCommand } from "./slash-commands.ts";
import { type Action, newUi, type Ui } from "./ui.ts";

const SPIN_MS = 120;
const ESCAPE_MS = 30;
const EARLY_MS = 100;
/** A turn that took longer rings when it ends. */
const RING_AFTER_MS = 20_000;

/** The interactive screen; `run` resolves with the exit code once the terminal is given back. */
export class Screen {
  readonly #host: TuiHost;
  readonly #start: TuiStart;
  readonly #terminal: Terminal;
  readonly #decoder = createKeyDecoder();
  readonly #undo: (() => void)[] = [];
  #view: View;
  #last = NOTHING_YET;
  #ui: Ui;
  #link: SessionLink | null = null;
  /** Everything that must reach the daemon in the order of the keys; begins with the opening of the session. */
  #order: Promise<void> = Promise.resolve();
  #ready = false;
  #spinner: NodeJS.Timeout | null = null;
  #escape: NodeJS.Timeout | null = null;
  #finish: (code: number) => void = () => undefined;
  #over = false;
  #startedAt = 0;

  constructor(host: TuiHost, start: TuiStart, theme: Theme) {
    this.#host = host;
    this.#start = start;
    this.#view = emptyView(host.version);
    this.#ui = newUi(readHistory(host.historyFile));
    this.#terminal = openTerminal({
      input: host.stdin,
      output: host.stdout,
      theme,
      reflows: !host.environment.XTERM_VERSION && !(host.environment.STY && !host.environment.TMUX),
      now: host.now,
      picture: () => this.#picture(),
      onInput: (bytes) => this.#input(bytes),
      onEnd: () => this.#leave(0),
    });
  }

  async run(): Promise<number> {
    const ended = new Promise<number>((resolve) => {
      this.#finish = resolve;
    });
    this.#watchProcess();
    this.#terminal.frameNow();
    this.#startedAt = this.#host.now();
    this.#order = this.#open().catch((error: unknown) => this.#fail(error));
    return await ended;
  }

  #picture() {
    const { columns, rows } = this.#terminal;
    const frame: Frame = { width: Math.max(10, columns - 1), glyphs: UNICODE };
    // The welcome comes first: nothing is written above it while the session is being opened.
    const ready = this.#view.session !== null;
    const view = ready ? this.#view : { ...this.#view, finished: [] };
    const place = { columns, rows, last: this.#last, now: this.#host.now() };
    const { picture, last } = pictureOf(view, this.#ui, place, frame);
    this.#last = last;
    if (ready && view.finished.length > 0)
      this.#view = reduce(this.#view, { type: "taken", count: view.finished.length });
    return picture;
  }

  async #open(): Promise<void> {
    const link = await openSessionLink(this.#host, this.#start, (event) => this.#event(event));
    if (this.#over) return link.close();
    this.#link = link;
    link.failed.then((error) => this.#fail(error)).catch(() => undefined);
    if (this.#start.pick) {
      const sessions = await link.sessions("");
      this.#ready = true;
      this.#ui = { ...this.#ui, picker: { sessions, query: "", selected: 0 } };
      this.#terminal.requestFrame();
      return;
    }
    const { session, notices } = await this.#start.openSession(link.client);
    await link.follow(session, session.messageCount > 0);
    await this.#start.adjust(link.client, session);
    for (const text of [...link.client.notices, ...notices]) this.#note("warning", text);
    if (this.#start.prompt !== "") await link.prompt(this.#start.prompt, "steer");
    this.#ready = true;
  }

  #event(event: ViewEvent): void {
    const before = this.#view;
    this.#view = reduce(before, event);
    const asked = this.#view.approvals.length > before.approvals.length;
    const ended = before.turn !== null && this.#view.turn === null;
    if (asked || (ended && this.#host.now() - (before.turn?.startedAt ?? 0) > RING_AFTER_MS))
      this.#terminal.bell();
    this.#setSpinner(this.#view.turn !== null);
    this.#terminal.requestFrame();
  }

  /** The only timer, and only while a turn runs. */
  #setSpinner(on: boolean): void {
    if (on && !this.#spinner) {
      this.#spinner = setInterval(() => {
        this.#ui = { ...this.#ui, spin: this.#ui.spin + 1 };
        this.#terminal.requestFrame();
      }, SPIN_MS);
    } else if (!on && this.#spinner) {
      clearInterval(this.#spinner);
      this.#spinner = null;
    }
  }

  #input(bytes: Uint8Array): void {
    if (this.#escape) clearTimeout(this.#escape);
    this.#escape = null;
    this.#keys(this.#decoder.feed(bytes));
    if (!this.#decoder.pending || this.#over) return;
    this.#escape = setTimeout(() => {
      this.#escape = null;
      this.#keys(this.#decoder.flush());
    }, ESCAPE_MS);
  }

  #keys(keys: Key[]): void {
    if (keys.length === 0) return;
    // What was typed before raw mode came through the line discipline, which makes Enter a line feed.
    const early = this.#host.now() - this.#startedAt < EARLY_MS;
    for (const typed of keys) {
      if (this.#over) return;
      const key: Key =
        early && typed.type === "key" && typed.name === "newline" ? { ...typed, name: "enter" } : typed;
      const before = this.#ui.editor;
      const { ui, actions } = handleKey(this.#ui, this.#view, key, this.#host.now());
      this.#ui = ui;
      for (const action of actions) this.#act(action);
      if (this.#ui.editor !== before && actions.length === 0) this.#complete(key);
    }
    if (!this.#over) this.#terminal.frameNow();
  }

  #complete(key: Key): void {
    const typed =
      key.type === "text" || (key.type === "key" && ["backspace", "tab", "enter"].includes(key.name));
    this.#ui = {
      ...this.#ui,
      completion: typed
        ? complete(this.#ui.editor, this.#view.session?.cwd ?? this.#host.cwd, this.#view.skills)
        : null,
    };
  }

  #act(action: Action): void {
    switch (action.type) {
      case "send":
        appendHistory(this.#host.historyFile, action.text);
        return this.#submit(action.text, action.delivery);
      case "interrupt":
        this.#event({ type: "interrupting" });
        return this.#later((link) => link.interrupt());
      case "leave":
        return this.#leave(0);
      case "answer":
        return this.#later((link) => link.answer(action.approvalId, action.answer));
      case "take_back":
        return this.#later(async (link) => {
          const text = await link.unqueue(action.promptId);
          if (text !== null) this.#ui = { ...this.#ui, editor: withText(this.#ui.editor, text) };
          this.#terminal.requestFrame();
        });
      case "cycle_mode":
        return this.#later((link) => toNextMode(link, this.#view));
      case "unfold":
        return this.#unfold();
      case "external_editor":
        return this.#editExternally();
      case "suspend":
        return this.#suspend();
      case "pick":
        return this.#later((link) => this.#show(link, action.session));
      case "search_sessions":
        return this.#later(async (link) => {
          const sessions = await link.sessions(action.query);
          const { picker } = this.#ui;
          if (picker?.query === action.query) this.#ui = { ...this.#ui, picker: { ...picker, sessions } };
          this.#terminal.requestFrame();
        });
    }
  }

  /** Runs now, or once the session is open; what goes wrong becomes a line on the screen. */
  #later(work: (link: SessionLink) => Promise<void>, inOrder = !this.#ready): void {
    const run = async (): Promise<void> => {
      try {
        if (this.#link && !this.#over) await work(this.#link);
      } catch (error) {
        if (this.#view.session) this.#note("error", errorMessage(error));
        else this.#fail(error);
      }
    };
    if (inOrder) this.#order = this.#order.then(run);
    else run().catch(() => undefined);
  }

  async #show(link: SessionLink, session: Parameters<SessionLink["follow"]>[0]): Promise<void> {
    const { version } = this.#view;
    this.#view = { ...emptyView(version), finished: this.#view.session ? this.#view.finished : [] };
    await link.follow(session, session.messageCount > 0);
  }

  #submit(text: string, delivery: "steer" | "queue"): void {
    if (isExitWord(text)) return this.#leave(0);
    const command = parseCommand(text, this.#view);
    if (!command) return this.#send(text, delivery);
    if (command.type === "leave") return this.#leave(0);
    if (command.type === "show")
      return this.#event({ type: "show", block: { type: "text", title: command.title, text: command.text } });
    this.#later(async (link) => {
      const result = await runCommand(command, link, this.#host);
      if (result.type === "text")
        this.#event({ type: "show", block: { type: "text", title: result.title, text: result.text } });
      if (result.type === "picker") {
        this.#ui = { ...this.#ui, picker: { sessions: result.sessions, query: result.query, selected: 0 } };
        this.#terminal.requestFrame();
      }
    });
  }

  #send(text: string, delivery: "steer" | "queue"): void {
    this.#later((link) => link.prompt(text, delivery), true);
  }

  #unfold(): void {
    const approval = this.#view.approvals[0];
    const frame: Frame = { width: Math.max(10, this.#terminal.columns - 1), glyphs: UNICODE };
    const whole = approval
      ? { title: approval.title, text: approvalBody(approval, frame).map(plainText).join("\n") }
      : this.#view.lastOutput;
    if (whole)
      this.#event({
        type: "show",
        block: { type: "text", title: stripControls(whole.title), text: whole.text },
      });
    else this.#ui = { ...this.#ui, hint: "no output to show yet" };
  }

  #editExternally(): void {
    this.#terminal.pause();
    const { text, error } = editExternally(wholeText(this.#ui.editor), this.#host);
    this.#terminal.resume();
    this.#ui = { ...this.#ui, editor: withText(this.#ui.editor, text), hint: error };
  }

  #suspend(): void {
    this.#terminal.pause();
    this.#host.stopJob();
  }

  #note(level: "info" | "warning" | "error", text: string): void {
    this.#event({ type: "show", block: { type: "notice", level, text } });
  }

  #watchProcess(): void {
    const host = this.#host;
    this.#undo.push(
      host.onSignal("SIGINT", () => this.#leave(0)),
      host.onSignal("SIGTERM", () => this.#leave(143)),
      host.onSignal("SIGHUP", () => this.#leave(129)),
      host.onSignal("SIGTSTP", () => this.#suspend()),
      host.onSignal("SIGCONT", () => {
        // After a SIGSTOP, which nobody can catch, the modes are ours still or the shell's again.
        this.#terminal.pause(true);
        this.#terminal.resume();
      }),
      host.onCrash(() => this.#terminal.close()),
    );
  }

  #fail(error: unknown): void {
    const more = errorCode(error) === "no_model" ? "To see it at work without a key: lathe demo\n" : "";
    this.#end(1, `lathe: ${stripControls(errorMessage(error))}\n${more}${farewell(this.#view)}`);
  }

  #leave(code: number): void {
    this.#end(code, farewell(this.#view));
  }

  #end(code: number, lastWords: string): void {
    if (this.#over) return;
    // What is finished but not drawn yet belongs to the scrollback too.
    this.#terminal.frameNow();
    this.#over = true;
    if (this.#spinner) clearInterval(this.#spinner);
    if (this.#escape) clearTimeout(this.#escape);
    this.#terminal.close(lastWords);
    for (const undo of this.#undo.splice(0)) undo();
    this.#link?.close();
    this.#finish(code);
  }
}
