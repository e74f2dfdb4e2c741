import type { Approval, GrantScope } from "../../protocol/permission.ts";
import { spellOut, stripControls } from "../../shared/text.ts";
import { patchLines } from "../blocks/diff-lines.ts";
import { textRows } from "../blocks/render-block.ts";
import type { Frame } from "../markdown/frame.ts";
import { type Line, span, wrap } from "../text/line.ts";

/** The very thing that is asked about: a command, the diff of an edit, or the input word for word. */
export function approvalBody(approval: Approval, frame: Frame): Line[] {
  const indent = [span("plain", "  ")];
  const exact = (text: string, first: Line = indent): Line[] =>
    text.split("\n").flatMap((line, index) =>
      wrap([span("bold", line)], frame.width, {
        first: index === 0 ? first : indent,
        rest: indent,
        hard: true,
      }),
    );
  if (approval.kind !== "tool") return approval.detail === "" ? [] : exact(stripControls(approval.detail));
  const rows: Line[] = [];
  for (const [name, value] of Object.entries(approval.input)) {
    const text = spellOut(typeof value === "string" ? value : JSON.stringify(value));
    if (name === "command") rows.unshift(...exact(text));
    // The diff shows all of an edit but where.
    else if (!approval.diff || name === "path" || typeof value !== "string")
      rows.push(...exact(text, [...indent, span("dim", `${stripControls(name)}: `)]));
  }
  return approval.diff ? [...rows, ...patchLines(stripControls(approval.diff), frame)] : rows;
}

/** What is asked, in one row. */
function question(approval: Approval): string {
  if (approval.kind !== "tool") return approval.title;
  if (typeof approval.input.command === "string") return "run this command?";
  return approval.diff ? `make this change with ${approval.title}?` : `allow ${approval.title}?`;
}

/** What the model wants, why it is asked, and the keys that answer; `maxRows` bounds the middle. */
export function dialogRows(approval: Approval, waiting: number, maxRows: number, frame: Frame): Line[] {
  const more = waiting > 0 ? ` (${waiting} more waiting)` : "";
  const head = textRows(`${question(approval)}${more}`, "warning", frame, "? ");
  const why = [
    ...(approval.parts.length > 1 || (approval.parts[0] ?? approval.title) !== approval.title
      ? approval.parts.flatMap((part) => textRows(part, "plain", frame, `  ${frame.glyphs.bullet} `))
      : []),
    ...(approval.reason === "" ? [] : textRows(`why: ${approval.reason}`, "dim", frame, "  ")),
  ];
  const choices = choiceRows(approval, frame);
  const body = approvalBody(approval, frame);
  const room = Math.max(1, maxRows - head.length - why.length - choices.length);
  const shown =
    body.length <= room
      ? body
      : [
          ...body.slice(0, Math.max(0, room - 1)),
          [
            span(
              "warning",
              `  ${frame.glyphs.ellipsis} ${body.length - room + 1} more rows: Ctrl-O shows all`,
            ),
          ],
        ];
  return [...head, ...shown, ...why, ...choices];
}

function choiceRows(approval: Approval, frame: Frame): Line[] {
  if (approval.kind === "question") {
    return [
      ...questionChoices(approval).flatMap((choice, index) =>
        textRows(choice, "plain", frame, `  ${index + 1} `),
      ),
      ...textRows(
        "type your answer and press Enter, or the number of a choice; Esc stops the task",
        "dim",
        frame,
        "  ",
      ),
    ];
  }
  const rules = approval.suggestions.map((rule) => (rule.match ? `${rule.tool}(${rule.match})` : rule.tool));
  const rule = stripControls(rules.join(", "));
  const words = stripControls((approval.words ?? []).join("; "));
  const lasting: Line[] =
    approval.onceOnly || approval.suggestions.length === 0
      ? []
      : [
          choice("t", `yes, for this task: ${rule}`),
          choice("p", `yes, in this project: ${rule}`),
          choice("a", `yes, always: writes the rule ${rule}`),
          ...(words === "" ? [] : [[span("dim", `     t, p, a cover: ${words}`)]]),
        ];
  const options: Line[] = [
    choice("y", "yes, once"),
    ...lasting,
    choice("n", "no (Enter is no)"),
    choice("m", "no, with a word to the model"),
  ];
  return options.flatMap((option) => wrap(option, frame.width, { rest: [span("plain", "      ")] }));
}

function choice(key: string, words: string): Line {
  return [span("plain", "  "), span("accent", key), span("plain", `  ${words}`)];
}

/** The choices that the model offers with a question. */
export function questionChoices(approval: Approval): string[] {
  const { options, choices } = approval.input;
  const offered = Array.isArray(options) ? options : Array.isArray(choices) ? choices : [];
  return offered.flatMap((item) => {
    if (typeof item === "string") return [item];
    if (typeof item === "object" && item !== null && !Array.isArray(item) && typeof item.label === "string")
      return [item.label];
    return [];
  });
}

/** What a key answers; null: the key means nothing here, `word`: ask for the words first. */
export function answerOf(approval: Approval, pressed: string): "once" | GrantScope | "deny" | "word" | null {
  switch (pressed) {
    case "y":
    case "yes":
      return "once";
    case "t":
      return approval.onceOnly || approval.suggestions.length === 0 ? null : "task";
    case "p":
      return approval.onceOnly || approval.suggestions.length === 0 ? null : "project";
    case "a":
      return approval.onceOnly || approval.suggestions.length === 0 ? null : "everywhere";
    case "n":
    case "no":
    case "enter":
      return "deny";
    case "m":
      return "word";
    default:
      return null;
  }
}
