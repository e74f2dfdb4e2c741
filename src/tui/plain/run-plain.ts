import type { Approval, ApprovalAnswer } from "../../protocol/permission.ts";
import { deferred } from "../../shared/async.ts";
import { errorMessage } from "../../shared/error.ts";
import { spellOut, stripControls } from "../../shared/text.ts";
import { compose, NOTHING_YET } from "../blocks/compose.ts";
import { dialogRows, questionChoices } from "../components/dialog.ts";
import type { Frame } from "../markdown/frame.ts";
import { farewell } from "../screens/farewell.ts";
import { runCommand } from "../screens/run-command.ts";
import { isExitWord, parseCommand } from "../screens/slash-commands.ts";
import { openSessionLink, type SessionLink } from "../session-link.ts";
import { ASCII } from "../theme/glyphs.ts";
import { plainText } from "../theme/theme.ts";
import type { TuiHost, TuiStart } from "../tui-host.ts";
import { reduce } from "../view-state/reduce.ts";
import { emptyView, type View, type ViewEvent } from "../view-state/view.ts";

const FRAME: Frame = { width: 100_000, glyphs: ASCII };
const MAX_LINE = 16 * 1024 * 1024;

/** Append-only: lines in, lines out, no control sequence and nothing redrawn. */
export async function runPlain(host: TuiHost, start: TuiStart): Promise<number> {
  const ended = deferred<number>();
  let view: View = emptyView(host.version);
  let link: SessionLink | null = null;
  let asked: string | null = null;
  let last = NOTHING_YET;
  let lastCode = 0;

  const write = (text: string): void => void host.stdout.write(text);
  const event = (told: ViewEvent): void => {
    const wasRunning = view.turn !== null;
    view = reduce(view, told);
    if (view.session) {
      const { rows, last: next } = compose(view.finished, last, FRAME);
      last = next;
      view = reduce(view, { type: "taken", count: view.finished.length });
      if (rows.length > 0) write(`${rows.map((row) => plainText(row).trimEnd()).join("\n")}\n`);
    }
    const approval = view.approvals[0];
    if (approval && approval.id !== asked) {
      asked = approval.id;
      write(
        `${dialogRows(approval, view.approvals.length - 1, 10_000, FRAME)
          .map((row) => plainText(row))
          .join("\n")}\n? `,
      );
    }
    if (wasRunning && !view.turn) write("> ");
  };
  const leave = (code: number): void => {
    lastCode = code;
    ended.resolve(code);
  };
  const note = (error: unknown): void => write(`lathe: ${stripControls(errorMessage(error))}\n`);
  const onLine = async (text: string, open: SessionLink): Promise<void> => {
    const approval = view.approvals[0];
    if (approval) return await open.answer(approval.id, plainAnswer(approval, text));
    if (text.trim() === "") return write("> ");
    if (isExitWord(text)) return leave(0);
    const command = parseCommand(text, view);
    if (!command) return await open.prompt(text, "steer");
    if (command.type === "leave") return leave(0);
    const result =
      command.type === "show"
        ? ({ ...command, type: "text" } as const)
        : await runCommand(command, open, host);
    if (result.type === "text") write(`${result.title}\n${stripControls(result.text)}\n`);
    if (result.type === "picker") {
      write(
        `${result.sessions.map((session) => `${session.id}  ${stripControls(session.title)}`).join("\n")}\n`,
      );
      write("leave and start `lathe -r ID` to go on with one\n");
    }
    write("> ");
  };
  const stopSignals = [
    host.onSignal("SIGINT", () => {
      if (view.turn && !view.turn.interrupting && link) {
        view = reduce(view, { type: "interrupting" });
        link.interrupt().catch(note);
      } else leave(0);
    }),
    host.onSignal("SIGTERM", () => leave(143)),
    host.onSignal("SIGHUP", () => leave(129)),
  ];
  try {
    const open = await openSessionLink(host, start, event);
    link = open;
    open.failed.then((error) => {
      note(error);
      leave(1);
    }, note);
    const { session, notices } = await start.openSession(open.client);
    await open.follow(session, session.messageCount > 0);
    await start.adjust(open.client, session);
    for (const text of [...open.client.notices, ...notices]) write(`${stripControls(text)}\n`);
    if (start.prompt === "") write("> ");
    else await open.prompt(start.prompt, "steer");
    readLines(
      host,
      (text) => onLine(text, open).catch(note),
      () => leave(lastCode),
    );
    const code = await ended.promise;
    write(`\n${farewell(view)}`);
    return code;
  } finally {
    for (const stop of stopSignals) stop();
    host.stdin.pause();
    link?.close();
  }
}

/** What a line answers: the letters of the dialog; anything else is no, and its words go to the model. */
export function plainAnswer(approval: Approval, line: string): ApprovalAnswer {
  const text = line.trim();
  if (approval.kind === "question")
    return { type: "reply", text: questionChoices(approval)[Number(text) - 1] ?? text };
  const lasting = !approval.onceOnly && approval.suggestions.length > 0;
  const word = text.toLowerCase();
  if (word === "y" || word === "yes") return { type: "allow", scope: "once" };
  if (word === "t" && lasting) return { type: "allow", scope: "task" };
  if (word === "p" && lasting) return { type: "allow", scope: "project" };
  if (word === "a" && lasting) return { type: "allow", scope: "everywhere" };
  if (word === "" || word === "n" || word === "no" || word === "t" || word === "p" || word === "a")
    return { type: "deny" };
  return { type: "deny", message: spellOut(text.replace(/^m\s+/i, "")) };
}

function readLines(host: TuiHost, onLine: (text: string) => void, onEnd: () => void): void {
  let rest = "";
  host.stdin.setEncoding("utf8");
  host.stdin.on("data", (chunk: string) => {
    rest = (rest + chunk).slice(-MAX_LINE);
    const lines = rest.split(/\r\n|\r|\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  host.stdin.on("end", onEnd);
  host.stdin.on("error", onEnd);
  host.stdin.resume();
}
