import type { Message } from "../../protocol/message.ts";
import { callNames } from "./shown-history.ts";

/** Calls listed with their ids. */
const MAX_LISTED = 40;

/** Stands where a summary would, when none can be made: what was dropped, and how to read it back. */
export function droppedNote(dropped: readonly Message[], earlier: string | null): string {
  const steps = dropped.filter((message) => message.kind === "reply").length;
  const calls = [...callNames(dropped)];
  const listed = calls.slice(-MAX_LISTED).map(([id, name]) => `- ${name}, id ${id}`);
  const more = calls.length > listed.length ? [`- and ${calls.length - listed.length} before them`] : [];
  return [
    ...(earlier === null ? [] : [earlier, ""]),
    `${steps} older steps were left out without a summary: not even the request for one did fit. ` +
      "Look at the files before you repeat anything. Their results can be read back by id:",
    ...more,
    ...listed,
  ].join("\n");
}
