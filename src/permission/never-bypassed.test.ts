import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PERMISSION_MODES } from "../protocol/permission.ts";
import { decide } from "./decide.ts";
import { command, rule } from "./test-support/request.ts";

/** Spellings of a word that bash reads as the same word. */
const spelled = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom("plain", "single", "double", "escape", "ansi"), {
      minLength: word.length,
      maxLength: word.length,
    })
    .map((ways) =>
      [...word]
        .map((letter, index) => {
          const code = letter.charCodeAt(0).toString(16);
          return {
            plain: letter,
            single: `'${letter}'`,
            double: `"${letter}"`,
            escape: `\\${letter}`,
            ansi: `$'\\x${code}'`,
          }[ways[index] ?? "plain"];
        })
        .join(""),
    );

const name = fc.tuple(fc.constantFrom("", "/usr/bin/", "./"), spelled("wipe")).map((parts) => parts.join(""));
const simple = fc
  .tuple(name, fc.constantFrom("", " now", " --all x", ' "$x"', " *", " 2>/dev/null", " <<< text"))
  .map((parts) => parts.join(""));
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const NESTINGS: ((text: string) => string)[] = [
  (text) => `true && ${text}`,
  (text) => `false || ${text}`,
  (text) => `echo a; ${text}`,
  (text) => `echo a\n${text}`,
  (text) => `( ${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `for i in 1 2; do ${text}\ndone`,
  (text) => `while ${text}\ndo :; done`,
  (text) => `case x in x) ${text}\n;; esac`,
  (text) => `echo $( ${text}\n)`,
  (text) => `echo "$( ${text}\n)"`,
  (text) => `x=$( ${text}\n)`,
  (text) => `cat <( ${text}\n)`,
  (text) => `cat <<EOF\n$( ${text}\n)\nEOF`,
  (text) => `echo \${y:-$( ${text}\n)}`,
  (text) => `echo a | { ${text}\n}`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `bash -c ${quote(text)}`,
  (text) => `sh -euc ${quote(text)}`,
  (text) => `eval ${quote(text)}`,
  (text) => `bash <<'EOF'\n${text}\nEOF`,
  (text) => `timeout 5 bash -c ${quote(text)}`,
  (text) => `env A=1 sh -c ${quote(text)}`,
  (text) => `find . -exec sh -c ${quote(text)} ';'`,
  (text) => `xargs -n 1 sh -c ${quote(text)}`,
  (text) => `nohup bash -c ${quote(text)} &`,
  (text) => `trap ${quote(text)} EXIT`,
  (text) => `git -c alias.z=${quote(`!${text}`)} z`,
  (text) => `[[ -n $( ${text}\n) ]]`,
  (text) => `coproc { ${text}\n}`,
  (text) => `! { ${text}\n}`,
  (text) => `time { ${text}\n}`,
];
const PREFIXES = [
  "",
  "A=1 ",
  "env ",
  "env -u X B=2 ",
  "command ",
  "exec ",
  "nice -n 3 ",
  "timeout -k 1 2 ",
  "stdbuf -oL ",
  "time ",
  "nohup ",
  "xargs -r ",
  "setsid -w ",
  "builtin ",
];
const nested = fc
  .tuple(fc.constantFrom(...PREFIXES), simple, fc.array(fc.constantFrom(...NESTINGS), { maxLength: 4 }))
  .map(([prefix, text, layers]) => layers.reduce((inner, layer) => layer(inner), prefix + text));

describe("a denied command", () => {
  const rules = [rule("deny", "Bash(wipe)"), rule("allow", "Bash")];
  it("is denied however it is quoted and nested, in every mode", () => {
    fc.assert(
      fc.property(nested, fc.constantFrom(...PERMISSION_MODES), (text, mode) => {
        expect(decide(command(text, mode, rules)).type, text).toBe("deny");
      }),
      { numRuns: 1500 },
    );
  });

  it("arbitrary text never throws, and never passes in ask mode when it does not parse", () => {
    const noise = fc.array(
      fc.constantFrom(
        "wipe",
        "$(",
        ")",
        "`",
        "'",
        '"',
        "{",
        "}",
        ";",
        "|",
        "&",
        "<<E",
        "\n",
        "$x",
        "if",
        "fi",
        "ls",
        " ",
        "((",
        "\\",
        "\0",
        "*",
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(noise, (parts) => {
        const text = parts.join(" ");
        const decision = decide(command(text, "ask", [rule("deny", "Bash(wipe)")]));
        // Without quotes, here-documents and arithmetic it is plain where a command begins.
        const plain = !/['"`\\]|<<|\(\(/.test(text);
        if (plain && /(^|[;&|\n({]\s*)wipe\b/.test(text)) expect(decision.type, text).not.toBe("allow");
      }),
      { numRuns: 1500 },
    );
  });

  it("text that is huge or deeply nested is read, or asked for, and soon", () => {
    const huge = [
      `echo ${"$(".repeat(5000)}wipe${")".repeat(5000)}`,
      `${"( ".repeat(5000)}wipe${" )".repeat(5000)}`,
      `echo ${'"$('.repeat(40)}wipe${')"'.repeat(40)}`,
      `${"bash -c '".repeat(50)}wipe`,
      `${"env ".repeat(500)}wipe`,
      `${"xargs ".repeat(500)}wipe`,
      "echo x; ".repeat(20_000),
      `cat ${"a/".repeat(50_000)}`,
      `rm ${"f ".repeat(20_000)}`,
      `wip ${"-a ".repeat(2_000)}e`,
      `${"{a,b}".repeat(30)} x`,
      `echo ${"{".repeat(5_000)}`,
    ];
    for (const text of huge) {
      const decision = decide(
        command(text, "ask", [rule("deny", "Bash(wipe)"), rule("deny", "Bash(wip * * * e f)")]),
      );
      if (text.includes("wipe")) expect(decision.type, text.slice(0, 40)).not.toBe("allow");
    }
  });
});
