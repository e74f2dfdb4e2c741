import type { Line } from "../text/line.ts";
import type { Style } from "./style.ts";

/** SGR parameters by style; an empty text means unchanged. */
export type Theme = Readonly<Record<Style, string>>;

const SHAPES = {
  plain: "",
  dim: "2",
  bold: "1",
  italic: "3",
  boldItalic: "1;3",
  strike: "9",
  underline: "4",
  selected: "7",
  caret: "7",
} as const;

/** Only weight and slant, for NO_COLOR. */
const COLOURLESS: Theme = {
  ...SHAPES,
  heading: "1",
  code: "",
  link: "4",
  accent: "1",
  ok: "",
  warning: "1",
  error: "1",
  added: "",
  removed: "",
  prompt: "1",
  keyword: "",
  string: "",
  comment: "2",
  number: "",
};

const DARK: Theme = {
  ...SHAPES,
  heading: "1;36",
  code: "36",
  link: "4;34",
  accent: "36",
  ok: "32",
  warning: "33",
  error: "31",
  added: "32",
  removed: "31",
  prompt: "1",
  keyword: "35",
  string: "32",
  comment: "2;3",
  number: "33",
};

/** Light backgrounds: no yellow and no plain cyan, which vanish there. */
const LIGHT: Theme = { ...DARK, heading: "1;34", code: "34", accent: "34", warning: "1;31", number: "34" };

/** The theme for this environment: NO_COLOR, then `LATHE_THEME`, then what COLORFGBG says of the background. */
export function chooseTheme(environment: Record<string, string | undefined>): Theme {
  if (environment.NO_COLOR) return COLOURLESS;
  if (environment.LATHE_THEME === "light") return LIGHT;
  if (environment.LATHE_THEME === "dark") return DARK;
  const background = Number(environment.COLORFGBG?.split(";").at(-1) ?? Number.NaN);
  return background === 7 || (background >= 9 && background <= 15) ? LIGHT : DARK;
}

/** The bytes of a line: each styled span closes what it opened. */
export function paint(line: Line, theme: Theme): string {
  let out = "";
  for (const { style, text } of line) {
    const code = theme[style];
    out += code === "" ? text : `\x1b[${code}m${text}\x1b[0m`;
  }
  return out;
}

/** The text of a line alone. */
export function plainText(line: Line): string {
  return line.map((part) => part.text).join("");
}
