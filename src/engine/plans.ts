import type { ReminderBlock } from "../protocol/message.ts";
import { change, changeTurn, type Draft } from "./draft.ts";
import type { ToolFact } from "./input.ts";

/** Rounds of tool calls without a change of the checklist, after which the model is reminded of it. */
const ROUNDS = 3;
const REMINDER: ReminderBlock = { type: "reminder", text: "Update your todos." };

/** A fact that a tool adds of its own, with what the session keeps of it. */
export function takeFact(draft: Draft, fact: ToolFact): void {
  if (fact.type === "compaction_wished") return changeTurn(draft, { wish: { focus: fact.focus } });
  draft.facts.push(
    fact.type === "skill_loaded" ? { type: fact.type, name: fact.name, folder: fact.folder } : fact,
  );
  if (fact.type === "todos_changed") {
    change(draft, { todos: fact.items });
    // The round in hand counts itself when it ends.
    changeTurn(draft, { roundsWithoutTodo: -1 });
  } else if (fact.type === "skill_loaded") {
    const known = draft.state.skillFolders ?? [];
    if (!known.includes(fact.folder)) change(draft, { skillFolders: [...known, fact.folder] });
  }
}

/** A round of tool calls ends: every third one without a change of a checklist with open items brings a reminder. */
export function countRound(draft: Draft): ReminderBlock[] {
  const { turn, todos = [], interrupting } = draft.state;
  if (!turn) return [];
  const rounds = (turn.roundsWithoutTodo ?? 0) + 1;
  changeTurn(draft, { roundsWithoutTodo: rounds });
  const open = todos.some((item) => item.status !== "completed");
  return open && !interrupting && rounds > 0 && rounds % ROUNDS === 0 ? [REMINDER] : [];
}
