const CJK = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}";
const PARTS = new RegExp(
  `[${CJK}]+|\\p{Lu}?\\p{Ll}+|\\p{Lu}+|\\p{L}+|\\p{N}+|\\n+|[ \\t]{2,}|\\p{M}+|[^\\p{L}\\p{N}\\p{M}\\s]+`,
  "gu",
);
const IS_CJK = new RegExp(`^[${CJK}]`, "u");
const IS_DIGIT = /^\p{N}/u;
const IS_LETTER = /^\p{L}/u;

/**
 * Tokens of a text, without a tokenizer: within a tenth of OpenAI's o200k on prose in six languages, code, JSON
 * and logs; random base64 comes out a quarter too low. Correct sums by the usage that replies report.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(PARTS)) tokens += tokensOf(part);
  return Math.ceil(tokens);
}

function tokensOf(part: string): number {
  const { length } = part;
  const first = part.charCodeAt(0);
  if (first === 0x0a) return 0.9;
  if (first === 0x20 || first === 0x09) return 1;
  if (IS_CJK.test(part)) return length * 0.75;
  if (IS_DIGIT.test(part)) return Math.ceil(length / 3);
  if (IS_LETTER.test(part)) {
    if (first < 0x250) return length <= 7 ? 1 : 1 + (length - 7) / 3.5;
    return first < 0x600 ? Math.max(1, length * 0.22) : length * 0.4 + 0.3;
  }
  return first > 0x2000 ? length * 0.8 : Math.max(0.95, length * 0.45);
}
