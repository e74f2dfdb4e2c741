import type { Approval } from "../../protocol/permission.ts";
import { answerOf, questionChoices } from "../components/dialog.ts";
import { EMPTY_EDITOR, paste, wholeText } from "../input/editor.ts";
import type { Key } from "../input/keys.ts";
import type { View } from "../view-state/view.ts";
import { completionKey } from "./completion-key.ts";
import { editorKey } from "./editor-key.ts";
import { historyKey, searchKey } from "./history-key.ts";
import { pickerKey } from "./picker-key.ts";
import type { Action, Handled, Ui } from "./ui.ts";

const AGAIN_MS = 1500;

/** What a key does to this screen, and what it asks of the world. Pure. */
export function handleKey(ui: Ui, view: View, key: Key, now: number): Handled {
  const clean = ui.hint === null ? ui : { ...ui, hint: null };
  return (
    globalKey(clean, view, key, now) ??
    (clean.picker ? pickerKey(clean, clean.picker, key) : null) ??
    dialogKey(clean, view, key) ??
    searchKey(clean, key) ??
    completionKey(clean, key) ??
    enterKey(clean, view, key) ??
    historyKey(clean, view, key) ??
    done(editorKey(clean, key))
  );
}

const done = (ui: Ui, ...actions: Action[]): Handled => ({ ui, actions });

export function isCtrl(key: Key, letter: string): boolean {
  return key.type === "key" && key.ctrl && !key.alt && key.name === `letter:${letter}`;
}

function named(key: Key, name: string): boolean {
  return key.type === "key" && key.name === name;
}

function globalKey(ui: Ui, view: View, key: Key, now: number): Handled | null {
  if (isCtrl(key, "c")) return ctrlC(ui, view, now);
  if (isCtrl(key, "d") && ui.editor.text === "" && !ui.word) return done(ui, { type: "leave" });
  if (isCtrl(key, "z")) return done(ui, { type: "suspend" });
  if (isCtrl(key, "o")) return done(ui, { type: "unfold" });
  if (isCtrl(key, "g")) return done(ui, { type: "external_editor" });
  if (key.type === "key" && key.name === "tab" && key.shift) return done(ui, { type: "cycle_mode" });
  if (!named(key, "escape")) return null;
  if (ui.word) return done({ ...ui, word: null });
  if (ui.picker && !view.session) return done(ui, { type: "leave" });
  if (ui.picker || ui.search || ui.completion)
    return done({ ...ui, picker: null, search: null, completion: null });
  return view.turn ? done(ui, { type: "interrupt" }) : done(ui);
}

/** Clears what is written, else interrupts, else leaves. */
function ctrlC(ui: Ui, view: View, now: number): Handled {
  const again = now - ui.ctrlCAt < AGAIN_MS;
  const next = { ...ui, ctrlCAt: now, picker: null, search: null, completion: null };
  if (ui.picker && !view.session) return done(next, { type: "leave" });
  if (ui.picker || ui.search) return done(next);
  if (ui.word) return done({ ...next, word: null });
  if (ui.editor.text !== "") return done({ ...next, editor: EMPTY_EDITOR, recalled: null });
  if (!view.turn) return done(next, { type: "leave" });
  if (view.turn.interrupting || again) return done(next, { type: "leave" });
  return done(next, { type: "interrupt" });
}

function dialogKey(ui: Ui, view: View, key: Key): Handled | null {
  const approval = view.approvals[0];
  if (!approval) return null;
  if (ui.word?.approvalId === approval.id) return wordKey(ui, approval, key);
  if (approval.kind === "question") return questionKey(ui, approval, key);
  // Somebody who is writing does not mean the dialog that came up meanwhile.
  if (ui.editor.text !== "") return null;
  const pressed =
    key.type === "text"
      ? key.text.toLowerCase()
      : named(key, "enter") || named(key, "newline")
        ? "enter"
        : "";
  const answer = answerOf(approval, pressed);
  if (answer === "word") return done({ ...ui, word: { approvalId: approval.id, editor: EMPTY_EDITOR } });
  if (answer === "deny")
    return done(ui, { type: "answer", approvalId: approval.id, answer: { type: "deny" } });
  if (answer !== null) {
    return done(ui, { type: "answer", approvalId: approval.id, answer: { type: "allow", scope: answer } });
  }
  return done({ ...ui, hint: "press one of the keys above; Enter is no" });
}

function wordKey(ui: Ui, approval: Approval, key: Key): Handled {
  const editor = ui.word?.editor ?? EMPTY_EDITOR;
  if (named(key, "enter")) {
    const message = wholeText(editor).trim();
    const answer = { type: "deny" as const, ...(message === "" ? {} : { message }) };
    return done({ ...ui, word: null }, { type: "answer", approvalId: approval.id, answer });
  }
  const edited = editorKey({ ...ui, editor }, key).editor;
  return done({ ...ui, word: { approvalId: approval.id, editor: edited } });
}

function questionKey(ui: Ui, approval: Approval, key: Key): Handled | null {
  if (!named(key, "enter")) return null;
  const text = wholeText(ui.editor).trim();
  if (text === "") return done({ ...ui, hint: "write an answer, or the number of a choice" });
  const choice = questionChoices(approval)[Number(text) - 1] ?? text;
  return done(
    { ...ui, editor: EMPTY_EDITOR },
    { type: "answer", approvalId: approval.id, answer: { type: "reply", text: choice } },
  );
}

/** Enter sends; with Alt it queues while a turn runs and breaks the line else; a backslash before it breaks the line. */
function enterKey(ui: Ui, view: View, key: Key): Handled | null {
  if (key.type !== "key" || key.name !== "enter") return null;
  const { editor } = ui;
  if (key.shift || (key.alt && !view.turn)) return done(editorKey(ui, { ...key, name: "newline" }));
  if (editor.text[editor.cursor - 1] === "\\") {
    const without = {
      ...editor,
      text: editor.text.slice(0, editor.cursor - 1) + editor.text.slice(editor.cursor),
      cursor: editor.cursor - 1,
    };
    return done({ ...ui, editor: paste(without, "\n") });
  }
  const text = wholeText(editor);
  if (text.trim() === "") return done(ui);
  const history = ui.history.at(-1) === text ? ui.history : [...ui.history, text];
  return done(
    { ...ui, editor: { ...EMPTY_EDITOR, killed: editor.killed }, history, recalled: null, completion: null },
    { type: "send", text, delivery: key.alt ? "queue" : "steer" },
  );
}
