import { StringDecoder } from "node:string_decoder";

/** A decoded key press, a piece of typed text, or a whole paste. */
export type Key =
  | { type: "text"; text: string }
  | { type: "paste"; text: string }
  | { type: "key"; name: KeyName; ctrl: boolean; alt: boolean; shift: boolean };

export type KeyName =
  | "enter"
  | "newline"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "page_up"
  | "page_down"
  | "insert"
  | "letter:a"
  | `letter:${string}`;

export type KeyDecoder = {
  /** Keys that are complete; what is begun waits for more bytes. */
  feed(bytes: Uint8Array): Key[];
  /** An escape came and nothing followed yet: call `flush` when nothing follows for some 30 ms. */
  readonly pending: boolean;
  flush(): Key[];
};

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";
const MAX_PASTE = 16 * 1024 * 1024;

/** Decodes what a terminal sends: legacy keys, kitty's CSI u, bracketed paste, UTF-8, cut anywhere. */
export function createKeyDecoder(): KeyDecoder {
  const utf8 = new StringDecoder("utf8");
  let buffer = "";
  let paste: string | null = null;

  const run = (final: boolean): Key[] => {
    const keys: Key[] = [];
    for (;;) {
      if (paste !== null) {
        const end = buffer.indexOf(PASTE_END);
        if (end < 0) {
          // Keep what may be the beginning of the end mark.
          const keep = partialEnd(buffer);
          paste = (paste + buffer.slice(0, buffer.length - keep)).slice(0, MAX_PASTE);
          buffer = buffer.slice(buffer.length - keep);
          return keys;
        }
        keys.push({ type: "paste", text: (paste + buffer.slice(0, end)).slice(0, MAX_PASTE) });
        paste = null;
        buffer = buffer.slice(end + PASTE_END.length);
        continue;
      }
      if (buffer === "") return keys;
      if (buffer.startsWith(PASTE_BEGIN)) {
        paste = "";
        buffer = buffer.slice(PASTE_BEGIN.length);
        continue;
      }
      const next = decodeOne(buffer, final);
      if (!next) return keys;
      if (next.key) keys.push(next.key);
      buffer = buffer.slice(next.length);
    }
  };
  return {
    feed(bytes) {
      buffer += utf8.write(Buffer.from(bytes));
      return run(false);
    },
    get pending() {
      return paste === null && buffer !== "";
    },
    flush: () => run(true),
  };
}

function partialEnd(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  }
  return 0;
}

type Decoded = { key: Key | null; length: number } | null;

function decodeOne(text: string, final: boolean): Decoded {
  const first = text[0] ?? "";
  if (first === "\x1b") return decodeEscape(text, final);
  if (first < " " || first === "\x7f") return { key: control(first, false), length: 1 };
  const run = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0] ?? first;
  return { key: { type: "text", text: run }, length: run.length };
}

function decodeEscape(text: string, final: boolean): Decoded {
  if (text.length === 1) return final ? { key: key("escape"), length: 1 } : null;
  const second = text[1] ?? "";
  if (second === "[") {
    const sequence = /^\x1b\[([0-9;:?<>=]*)([ -/]*)([@-~])/.exec(text);
    if (sequence) return { key: csi(sequence[1] ?? "", sequence[3] ?? ""), length: sequence[0].length };
    if (/^\x1b\[[0-9;:?<>=]*[ -/]*$/.test(text)) return final ? { key: null, length: text.length } : null;
    return { key: null, length: 2 };
  }
  if (second === "O") {
    if (text.length === 2) return final ? { key: letter("o", false, true), length: 2 } : null;
    return { key: csi("", text[2] ?? ""), length: 3 };
  }
  if (second === "]" || second === "P" || second === "_" || second === "^") {
    const end = /^\x1b[\]P_^][^\x07\x1b]*(?:\x07|\x1b\\)/.exec(text);
    if (end) return { key: null, length: end[0].length };
    return final ? { key: null, length: text.length } : null;
  }
  if (second === "\x1b") return { key: key("escape"), length: 1 };
  if (second < " " || second === "\x7f") return { key: control(second, true), length: 2 };
  const code = text.codePointAt(1) ?? 0;
  const character = String.fromCodePoint(code);
  return { key: letter(character.toLowerCase(), false, true), length: 1 + character.length };
}

function key(name: KeyName, modifiers = 0): Key {
  return {
    type: "key",
    name,
    shift: (modifiers & 1) > 0,
    alt: (modifiers & 2) > 0,
    ctrl: (modifiers & 4) > 0,
  };
}

function letter(character: string, ctrl: boolean, alt: boolean): Key {
  return { type: "key", name: `letter:${character}`, ctrl, alt, shift: false };
}

function control(character: string, alt: boolean): Key {
  const modifiers = alt ? 2 : 0;
  switch (character) {
    case "\r":
      return key("enter", modifiers);
    case "\n":
      return key("newline", modifiers);
    case "\t":
      return key("tab", modifiers);
    case "\x7f":
    case "\b":
      return key("backspace", modifiers);
    default:
      return letter(String.fromCharCode(character.charCodeAt(0) + 0x60), true, alt);
  }
}

const FINALS: Record<string, KeyName> = { A: "up", B: "down", C: "right", D: "left", H: "home", F: "end" };
const TILDES: Record<string, KeyName> = {
  "1": "home",
  "2": "insert",
  "3": "delete",
  "4": "end",
  "5": "page_up",
  "6": "page_down",
  "7": "home",
  "8": "end",
};
const CODES: Record<number, KeyName> = {
  13: "enter",
  9: "tab",
  27: "escape",
  127: "backspace",
  57414: "enter",
};

function csi(parameters: string, final: string): Key | null {
  const [first = "", second = "", third = ""] = parameters.split(";");
  const [modifierText = "1", kind] = second.split(":");
  // Kitty: a release is no press.
  if (kind === "3") return null;
  const modifiers = Math.max(0, (Number(modifierText) || 1) - 1);
  if (final === "Z") return key("tab", 1);
  const named = FINALS[final];
  if (named) return key(named, modifiers);
  if (final === "~") {
    if (first === "27") return fromCode(Number(third), modifiers);
    const tilde = TILDES[first];
    return tilde ? key(tilde, modifiers) : null;
  }
  return final === "u" ? fromCode(Number(first.split(":")[0]), modifiers) : null;
}

function fromCode(code: number, modifiers: number): Key | null {
  const named = CODES[code];
  if (named) return key(named, modifiers);
  if (!Number.isInteger(code) || code < 32 || code > 0x10ffff || (code >= 57344 && code <= 63743))
    return null;
  const character = String.fromCodePoint(code);
  if ((modifiers & 6) > 0) return letter(character.toLowerCase(), (modifiers & 4) > 0, (modifiers & 2) > 0);
  return { type: "text", text: (modifiers & 1) > 0 ? character.toUpperCase() : character };
}
