import { expect, it } from "vitest";
import { estimateTokens } from "./estimate.ts";

// Real counts of o200k_base, taken once with gpt-tokenizer 4.0.0.
const COUNTED: [string, string, number][] = [
  [
    "Chinese",
    "人工智能是计算机科学的一个分支,它企图了解智能的实质,并生产出一种新的能以人类智能相似的方式做出反应的智能机器。".repeat(
      20,
    ),
    840,
  ],
  [
    "Japanese",
    "これは日本語の文章です。トークンの数を推定するためのテストです。コードを書いて、テストを実行します。".repeat(
      20,
    ),
    660,
  ],
  [
    "Russian",
    "Это предложение на русском языке, чтобы оценить количество токенов в тексте. Агент читает файлы и запускает команды.".repeat(
      20,
    ),
    560,
  ],
  [
    "German",
    "Dies ist ein deutscher Satz, mit dem die Anzahl der Wörter und Silben geschätzt werden soll; Donaudampfschifffahrtsgesellschaft.".repeat(
      20,
    ),
    600,
  ],
  [
    "hex",
    Array.from({ length: 100 }, (_, i) => ((i * 2654435761) >>> 0).toString(16).padStart(8, "0")).join(""),
    457,
  ],
  ["emoji", "🙂🚀 done ✅ ok 👩‍💻 ".repeat(50), 551],
];

it.each(COUNTED)("is within 15 percent on %s", (_name, text, real) => {
  const share = estimateTokens(text) / real;
  expect(share).toBeGreaterThan(0.85);
  expect(share).toBeLessThan(1.15);
});

it("is zero for nothing, grows with the text and is fast on one long word", () => {
  expect(estimateTokens("")).toBe(0);
  expect(estimateTokens("word ".repeat(1000))).toBe(1000);
  expect(estimateTokens("a".repeat(1_000_000))).toBeGreaterThan(200_000);
});
