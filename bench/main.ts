import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { sizeGroups } from "./figures/sizes.ts";
import { startGroups } from "./figures/start.ts";
import { stepGroups } from "./figures/steps.ts";
import { FULL, QUICK, type Row } from "./row.ts";

const USAGE = `npm run bench [-- [--quick] [group ...]]
groups: ${[...startGroups, ...stepGroups, ...sizeGroups].map(({ name }) => `"${name}"`).join(", ")}
Without groups all are measured and docs/performance.md is written (not with --quick).`;

/** Runs the groups of figures, prints their rows, and writes the page when all were measured in full. */
async function main(args: string[]): Promise<void> {
  if (args.includes("--help")) {
    console.log(USAGE);
    return;
  }
  const quick = args.includes("--quick");
  const wanted = args.filter((arg) => arg !== "--quick");
  const groups = [...startGroups, ...stepGroups, ...sizeGroups];
  const unknown = wanted.find((word) => !groups.some(({ name }) => name.includes(word)));
  if (unknown !== undefined) throw new Error(`no group of figures is called "${unknown}"\n${USAGE}`);
  const before = load();
  if (before > cpus().length / 2) console.error(`load average ${before}: other work disturbs what follows`);
  const rows: Row[] = [];
  for (const group of groups) {
    if (wanted.length > 0 && !wanted.some((word) => group.name.includes(word))) continue;
    try {
      for (const row of await group.run(quick ? QUICK : FULL)) {
        rows.push(row);
        console.log(lineOf(row));
      }
    } catch (error) {
      process.exitCode = 1;
      console.error(`${group.name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  if (wanted.length > 0 || quick || process.exitCode === 1) return;
  mkdirSync("docs", { recursive: true });
  writeFileSync("docs/performance.md", page(rows, before));
}

const verdict = (met: boolean | null): string => (met === null ? "" : met ? "met" : "**missed**");

const lineOf = (row: Row): string =>
  `| ${[row.figure, row.floor, row.lathe, row.ratio, row.budget, verdict(row.met)].join(" | ")} |`;

const load = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10;

function page(rows: Row[], before: number): string {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform} ${process.arch}`;
  return `# Performance

Measured by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}; load average ${before} before and ${load()} after (the run itself makes about 1.5). On a machine that has other work, figures of waiting (steps, shell, output) are worth little; those of CPU, memory and size stand.

The floor is \`bench/floor.mjs\`, a bare Node loop with three tools and no features (no daemon, store, sandbox, permissions or screen), which does the same work in the same run, in turn with lathe. Times are medians; only their ratio travels to another machine, so budgets of time are ratios. lathe's commands run in its sandbox, the floor's do not. The model is scripted and answers without delay. Every run is checked to have done its work.

| figure | floor | lathe | ratio | budget | |
|---|---|---|---|---|---|
${rows.map(lineOf).join("\n")}
`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
