import { type Line, span } from "../text/line.ts";
import type { Style } from "../theme/style.ts";

/** What a line of code inherits from the lines before it: the text that ends an open comment or string. */
export type CodeState = { until: string; style: Style } | null;

type Language = {
  line: readonly string[];
  block: readonly (readonly [string, string])[];
  strings: string;
  keywords: RegExp;
};

const words = (text: string): RegExp => new RegExp(`^(?:${text.trim().split(/\s+/).join("|")})$`);

const C_LIKE =
  words(`abstract as async await auto bool boolean break case catch char class const continue debugger declare
  default defer delete do double else enum export extends extern false final finally float fn for from func function
  get go goto if impl implements import in inline instanceof int interface internal is keyof let long loop match mod
  module mut namespace new nil null number of override package private protected pub public range readonly return
  satisfies self set short sizeof static string struct super switch this throw throws trait true try type typedef
  typeof undefined union unsafe unsigned use using val var virtual void volatile where while with yield chan map
  select`);
const PYTHON =
  words(`and as assert async await break class continue def del elif else except False finally for from
  global if import in is lambda match case None nonlocal not or pass raise return self True try while with yield`);
const SHELL =
  words(`if then else elif fi for in do done while until case esac function return local export readonly
  set unset shift exit source alias echo cd true false`);
const SQL =
  words(`select from where and or not null insert into values update set delete create table index view
  drop alter add primary key foreign references join left right inner outer full on group by order having limit
  offset union all distinct as case when then else end exists in is like between begin commit rollback default
  unique constraint with recursive returning SELECT FROM WHERE AND OR NOT NULL INSERT INTO VALUES UPDATE SET DELETE
  CREATE TABLE INDEX VIEW DROP ALTER ADD PRIMARY KEY FOREIGN REFERENCES JOIN LEFT RIGHT INNER OUTER FULL ON GROUP BY
  ORDER HAVING LIMIT OFFSET UNION ALL DISTINCT AS CASE WHEN THEN ELSE END EXISTS IN IS LIKE BETWEEN BEGIN COMMIT
  ROLLBACK DEFAULT UNIQUE CONSTRAINT WITH RECURSIVE RETURNING`);
const RUBY =
  words(`alias and begin break case class def defined do else elsif end ensure false for if in module next
  nil not or raise redo rescue retry return self super then true undef unless until when while yield require`);
const DATA = words("true false null yes no on off");

const C: Language = { line: ["//"], block: [["/*", "*/"]], strings: "\"'`", keywords: C_LIKE };
const HASH = (keywords: RegExp): Language => ({ line: ["#"], block: [], strings: "\"'", keywords });

const FAMILIES: readonly (readonly [string, Language])[] = [
  [
    "js jsx ts tsx javascript typescript mjs cjs c h cc cpp cxx hpp java go golang rust rs cs csharp kotlin kt swift scala php dart zig json5 jsonc css scss less",
    C,
  ],
  [
    "py python",
    {
      ...HASH(PYTHON),
      block: [
        ['"""', '"""'],
        ["'''", "'''"],
      ],
    },
  ],
  ["sh bash zsh shell console fish dockerfile makefile make", HASH(SHELL)],
  ["rb ruby elixir ex", HASH(RUBY)],
  ["sql", { line: ["--"], block: [["/*", "*/"]], strings: "'\"", keywords: SQL }],
  ["yaml yml toml ini conf properties", HASH(DATA)],
  ["json", { line: [], block: [], strings: '"', keywords: DATA }],
  ["lua haskell hs", { line: ["--"], block: [], strings: "\"'", keywords: C_LIKE }],
  ["html xml svg vue", { line: [], block: [["<!--", "-->"]], strings: "\"'", keywords: /^$/ }],
];

function languageOf(name: string): Language | null {
  const wanted = name.toLowerCase();
  return FAMILIES.find(([names]) => names.split(" ").includes(wanted))?.[1] ?? null;
}

const MAX_LINE = 2000;
const WORD = /^[A-Za-z_$][\w$]*/;
const NUMBER = /^(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)/;

/** Colours one line of code; `state` is what the line before gave, so that a stream can be coloured as it comes. */
export function highlightLine(
  text: string,
  languageName: string,
  state: CodeState,
): { line: Line; state: CodeState } {
  const language = languageOf(languageName);
  if (!language || text.length > MAX_LINE) return { line: [span("plain", text)], state: null };
  const line: Line = [];
  const put = (style: Style, piece: string): void => {
    const last = line.at(-1);
    if (last?.style === style) last.text += span(style, piece).text;
    else if (piece !== "") line.push(span(style, piece));
  };
  let open = state;
  let at = 0;
  while (at < text.length) {
    if (open) {
      const end = text.indexOf(open.until, at);
      const stop = end < 0 ? text.length : end + open.until.length;
      put(open.style, text.slice(at, stop));
      at = stop;
      if (end >= 0) open = null;
      continue;
    }
    const rest = text.slice(at);
    const next = nextPiece(rest, language, at === 0 || /\s/.test(text[at - 1] ?? ""));
    put(next.style, rest.slice(0, next.length));
    at += next.length;
    open = next.open ?? null;
  }
  return { line, state: open };
}

function nextPiece(
  rest: string,
  language: Language,
  atStart: boolean,
): { style: Style; length: number; open?: CodeState } {
  const opening = language.block.find(([begin]) => rest.startsWith(begin));
  if (opening) {
    const style: Style = opening[0].startsWith('"') || opening[0].startsWith("'") ? "string" : "comment";
    return { style, length: opening[0].length, open: { until: opening[1], style } };
  }
  // A `#` inside a word (`$#`, `a#b`) begins no comment.
  if (language.line.some((mark) => rest.startsWith(mark) && (mark !== "#" || atStart)))
    return { style: "comment", length: rest.length };
  const quote = rest[0] ?? "";
  if (language.strings.includes(quote)) return stringPiece(rest, quote);
  const word = WORD.exec(rest)?.[0];
  if (word) return { style: language.keywords.test(word) ? "keyword" : "plain", length: word.length };
  const number = NUMBER.exec(rest)?.[0];
  if (number) return { style: "number", length: number.length };
  return { style: "plain", length: /^[^\w$"'`#/<-]+/.exec(rest)?.[0].length ?? 1 };
}

function stringPiece(rest: string, quote: string): { style: Style; length: number; open?: CodeState } {
  for (let at = 1; at < rest.length; at++) {
    if (rest[at] === "\\") at += 1;
    else if (rest[at] === quote) return { style: "string", length: at + 1 };
  }
  if (quote === "`") return { style: "string", length: rest.length, open: { until: "`", style: "string" } };
  // An apostrophe in prose or a lifetime: not a string to the end of the line.
  return quote === "'" ? { style: "plain", length: 1 } : { style: "string", length: rest.length };
}
