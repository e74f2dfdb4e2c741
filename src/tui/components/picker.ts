import type { SessionInfo } from "../../protocol/session.ts";
import { plural, stripControls } from "../../shared/text.ts";
import { cost } from "../blocks/numbers.ts";
import type { Frame } from "../markdown/frame.ts";
import { cutLine, type Line, span } from "../text/line.ts";

type Picker = { sessions: readonly SessionInfo[]; query: string; selected: number };

/** Sessions to choose from: title, state, age, size and cost; the newest first. */
export function pickerRows(picker: Picker, maxRows: number, frame: Frame, now: number): Line[] {
  const room = Math.max(1, maxRows - 2);
  const first = Math.max(0, Math.min(picker.selected - Math.floor(room / 2), picker.sessions.length - room));
  const rows = picker.sessions.slice(first, first + room).map((session, index) => {
    const chosen = first + index === picker.selected;
    const state = session.status === "idle" ? "" : ` [${session.status.replace("_", " ")}]`;
    const facts = `  ${age(now - session.updatedAt)}, ${plural(session.messageCount, "message")}, ${cost(session.usage.cost)}`;
    return cutLine(
      [
        span(
          chosen ? "selected" : "plain",
          `${chosen ? "> " : "  "}${stripControls(session.title) || "(no title)"}`,
        ),
        span("warning", state),
        span("dim", `${facts}  ${stripControls(session.cwd)}`),
      ],
      frame.width,
      frame.glyphs.ellipsis,
    );
  });
  const head: Line = [
    span("bold", "sessions: "),
    span("accent", picker.query),
    span("dim", "  type to search, Enter opens, Esc leaves"),
  ];
  const empty: Line[] = picker.sessions.length === 0 ? [[span("dim", "  none found")]] : [];
  return [cutLine(head, frame.width), ...rows, ...empty];
}

function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m ago`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h ago`;
  return `${Math.floor(minutes / 1440)}d ago`;
}
