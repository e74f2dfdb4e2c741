import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { OPTIONS, SUBCOMMANDS } from "./args.ts";
import { helpText } from "./help.ts";

it("help and docs/cli.md name every flag and command", () => {
  const page = readFileSync("docs/cli.md", "utf8");
  const names = Object.keys(OPTIONS).map((name) => `--${name}`);
  expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  const short = ["--print", "--dangerously-skip-permissions"];
  expect(names.filter((name) => !helpText(null).includes(name))).toEqual(short);
  for (const command of SUBCOMMANDS) {
    expect(page).toContain(`\`${command} `);
    expect(helpText(command)).toContain(`lathe ${command}`);
    expect(helpText(command)).not.toBe(helpText(null));
  }
  expect(helpText("nothing")).toBe(helpText(null));
});
