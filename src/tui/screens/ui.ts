import type { ApprovalAnswer } from "../../protocol/permission.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import { type Editor, EMPTY_EDITOR } from "../input/editor.ts";

/** What belongs to this screen alone: the text being written and what lies over it. */
export type Ui = {
  editor: Editor;
  /** Prompts of this and earlier screens, oldest first. */
  history: readonly string[];
  /** Which of them is shown; the text that was there before is kept. */
  recalled: { index: number; draft: string } | null;
  search: { query: string; index: number } | null;
  /** A word to the model that goes with a no; holds the approval it is for. */
  word: { approvalId: string; editor: Editor } | null;
  completion: { items: readonly Completion[]; selected: number; from: number } | null;
  picker: { sessions: readonly SessionInfo[]; query: string; selected: number } | null;
  hint: string | null;
  /** When Ctrl-C was pressed last, and when the last turn ended. */
  ctrlCAt: number;
  spin: number;
};

export type Completion = { insert: string; label: string; note: string };

export function newUi(history: readonly string[]): Ui {
  return {
    editor: EMPTY_EDITOR,
    history,
    recalled: null,
    search: null,
    word: null,
    completion: null,
    picker: null,
    hint: null,
    ctrlCAt: 0,
    spin: 0,
  };
}

/** What a key asks of the world outside the screen. */
export type Action =
  | { type: "send"; text: string; delivery: "steer" | "queue" }
  | { type: "interrupt" }
  | { type: "leave" }
  | { type: "answer"; approvalId: string; answer: ApprovalAnswer }
  | { type: "take_back"; promptId: string }
  | { type: "cycle_mode" }
  | { type: "unfold" }
  | { type: "external_editor" }
  | { type: "suspend" }
  | { type: "pick"; session: SessionInfo }
  | { type: "search_sessions"; query: string };

/** What a key leads to. */
export type Handled = { ui: Ui; actions: Action[] };
