const MAX_WORDS = 64;

/**
 * Brace lists of a word without quotes or variables: `a{b,c}` gives `ab`, `ac`. Null for ranges and for more
 * than 64 words, whose values this room does not need to know.
 */
export function expandBraces(text: string): string[] | null {
  const open = text.indexOf("{");
  if (open < 0) return [text];
  const close = closingBrace(text, open);
  if (close < 0) return [text];
  const choices = splitChoices(text.slice(open + 1, close));
  const rest = expandBraces(text.slice(close + 1));
  if (rest === null || choices.length < 2) return null;
  const words: string[] = [];
  for (const choice of choices) {
    const inner = expandBraces(choice);
    if (inner === null) return null;
    for (const middle of inner) for (const end of rest) words.push(text.slice(0, open) + middle + end);
    if (words.length > MAX_WORDS) return null;
  }
  return words.filter((word) => word !== "");
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

function splitChoices(inner: string): string[] {
  const choices: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === "{") depth++;
    else if (inner[at] === "}") depth--;
    else if (inner[at] === "," && depth === 0) {
      choices.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  choices.push(inner.slice(start));
  return choices;
}
