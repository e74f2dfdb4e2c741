/** Cuts to at most `max` UTF-16 units without splitting a surrogate pair; `suffix` counts. */
export function cutText(text: string, max: number, suffix = ""): string {
  if (text.length <= max) return text;
  return sliceWhole(text, 0, Math.max(0, max - suffix.length)) + suffix;
}

/** `slice` that never leaves half of a surrogate pair at its ends. */
export function sliceWhole(text: string, start: number, end: number): string {
  let from = start;
  let to = Math.min(end, text.length);
  if (from > 0 && isLow(text.charCodeAt(from)) && isHigh(text.charCodeAt(from - 1))) from += 1;
  if (to > from && to < text.length && isHigh(text.charCodeAt(to - 1)) && isLow(text.charCodeAt(to))) to -= 1;
  return text.slice(from, to);
}

/** Replaces lone surrogates, so that the text is valid UTF-8 once encoded. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

// CSI, OSC, DCS/SOS/PM/APC and two-byte escapes, each also in its C1 form; an unfinished one runs to the end.
const ESCAPES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)?|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c|$)?|\x1b[ -/]*[0-~]?/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]+/g;

/** Removes control sequences and control characters but newline and tab: safe to write to a terminal. */
export function stripControls(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(ESCAPES, "").replace(CONTROLS, "");
}

// Control (but newline and tab), bidi, zero-width, variation selectors and other invisible characters.
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Spells out every character that could hide or reorder text, for approvals. */
export function spellOut(text: string): string {
  return text.replace(HIDDEN, (character) => {
    if (character === "\x1b") return "\\e";
    if (character === "\r") return "\\r";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** `1 file`, `3 files`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
