import type { InterruptBy } from "./state.ts";

/** What the model is told of a call whose outcome nobody knows. */
export const UNKNOWN_TEXT =
  "Outcome unknown: lathe stopped while this ran. It may or may not have taken effect; it was not run again. " +
  "Look at the state of things before you go on.";

const WHO: Record<InterruptBy, string> = {
  user: "by the user",
  client_gone: "because the client went away",
  shutdown: "because lathe stopped",
  terminated: "because lathe was told to end",
};

/** What the model is told of an interrupted call, by whom and when. */
export function interruptedText(by: InterruptBy, when: "before" | "during"): string {
  return when === "before"
    ? `Interrupted ${WHO[by]} before it ran.`
    : `Interrupted ${WHO[by]} while it ran; it may have taken effect in part.`;
}

/** What the model is told when the user said no. */
export function userDeniedText(word: string | undefined): string {
  const said = word === undefined || word.trim() === "" ? "" : ` The user said: ${word}`;
  return `The user did not allow this call; do not try it again as it is.${said}`;
}
