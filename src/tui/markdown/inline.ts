import type { Token, Tokens } from "marked";
import { type Line, span } from "../text/line.ts";
import type { Style } from "../theme/style.ts";

/** Inline tokens as lines: more than one only where the text breaks a line itself. */
export function inlineLines(tokens: readonly Token[], style: Style = "plain"): Line[] {
  const lines: Line[] = [[]];
  for (const token of tokens) addToken(token, style, lines);
  return lines;
}

function addToken(token: Token, style: Style, lines: Line[]): void {
  const put = (text: string, as: Style): void => {
    text.split("\n").forEach((piece, index) => {
      // Models mean the breaks they write.
      if (index > 0) lines.push([]);
      if (piece !== "") lines.at(-1)?.push(span(as, piece));
    });
  };
  switch (token.type) {
    case "strong":
      return within(token, combine(style, "bold"), lines);
    case "em":
      return within(token, combine(style, "italic"), lines);
    case "del":
      return within(token, "strike", lines);
    case "codespan":
      return put(unescapeHtml((token as Tokens.Codespan).text), "code");
    case "br":
      lines.push([]);
      return;
    case "link": {
      const link = token as Tokens.Link;
      within(token, "link", lines);
      if (link.href !== link.text && link.href !== `mailto:${link.text}`) put(` (${link.href})`, "dim");
      return;
    }
    case "image": {
      const image = token as Tokens.Image;
      return put(`[image: ${image.text || image.href}]`, "dim");
    }
    case "escape":
      return put((token as Tokens.Escape).text, style);
    default:
      if ("tokens" in token && token.tokens) return within(token, style, lines);
      return put(unescapeHtml("text" in token ? String(token.text) : token.raw), style);
  }
}

function within(token: Token, style: Style, lines: Line[]): void {
  for (const inner of ("tokens" in token && token.tokens) || []) addToken(inner, style, lines);
}

function combine(outer: Style, inner: "bold" | "italic"): Style {
  if (outer === "heading" || outer === "link") return outer;
  if ((outer === "bold" && inner === "italic") || (outer === "italic" && inner === "bold"))
    return "boldItalic";
  return inner;
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function unescapeHtml(text: string): string {
  return text.includes("&")
    ? text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    : text;
}
