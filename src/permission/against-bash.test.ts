import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { command } from "./test-support/request.ts";

/**
 * The parser and the tables against the shell itself: whatever passes as known to be read-only is run by bash
 * in a scratch directory, and must leave nothing behind. The pieces can do no more than make a file HIT.
 */
const PIECES = [
  ..."touch HIT|ls|echo|cat f|x=1|x='a[$(touch HIT)]'|$x|\"$x\"|${x|${x:-|${x@P}|$((x))|$[x]|$(|)|`|'|\"|;|&&|&|\n|{|}|(|((|))|[[|]]".split(
    "|",
  ),
  "|",
  "||",
  ..."[ -v x ]/test -v/-eq 0/a[$(touch HIT)]/<<E/\nE\n/<<'E'/<<</<(/>(/>/2>/>&/&>/2>&1/HIT/f/-o/-o HIT/sort/sort f/uniq f/sed -n/'1p'/'w HIT'/-e/-i/awk/'{print}'/'BEGIN{system(\"touch HIT\")}'/find ./-exec/touch HIT ;/+/\\;/-delete/xargs/bash -c/'touch HIT'/eval/trap/EXIT/env/-S/command/builtin/exec/time/coproc/nice/timeout 1".split(
    "/",
  ),
  ..."for x in a;for PATH in .;do;done;if;then;else;fi;while;case x in;x);esac;function g;g();g;read x;read PATH;printf;printf -v;-v x;PATH=.;touch() { ls; };ls() { touch HIT; };alias ls='touch HIT';shopt -s expand_aliases;git;-c;alias.z='!touch HIT';z;git log;--output=HIT;#;\\;*;~;!;,;{a,b};$'\\x74ouch' HIT;-;--;$@;tee HIT;tee;set --;rg x;--pre;./p;date;file -C;tree -o;. f;source f;declare x=1;local;let x=1;unset x;hash;type;wait;cd .;pushd .;exit;return".split(
    ";",
  ),
];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-bash-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function runInBash(text: string): void {
  writeFileSync(join(folder, "f"), "touch HIT\n");
  writeFileSync(join(folder, "p"), "#!/bin/sh\ntouch HIT\n", { mode: 0o755 });
  spawnSync("bash", ["-c", text], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", LC_ALL: "C" },
    stdio: ["ignore", "ignore", "ignore"],
    timeout: 2_000,
    killSignal: "SIGKILL",
  });
}

it("what passes as read-only leaves nothing behind", () => {
  const texts = fc
    .array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 9 })
    .map((parts) => parts.join(" "));
  const runs = 4_000;
  let ran = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const decision = decide(
        command(text, "ask", [], { place: { cwd: folder, roots: [folder], home: folder } }),
      );
      if (decision.type !== "allow") return;
      expect(decision.profile).toBe("read-only");
      ran++;
      runInBash(text);
      const left = readdirSync(folder).filter((name) => name !== "f" && name !== "p");
      for (const name of left) rmSync(join(folder, name), { recursive: true });
      expect(left, text).toEqual([]);
      expect(existsSync(join(folder, "f")), text).toBe(true);
    }),
    { numRuns: runs },
  );
  expect(ran).toBeGreaterThan(runs / 1000);
});
