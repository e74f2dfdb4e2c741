import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { figures } from "./figures.ts";

/** Runs the figures (all, or those whose name holds an argument) and writes docs/performance.md. */
async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const rows: string[] = [];
  for (const figure of figures) {
    if (wanted.length > 0 && !wanted.some((word) => figure.name.includes(word))) continue;
    const row = await figure.run();
    const line = `| ${figure.name} | ${row.floor} | ${row.lathe} | ${row.ratio ?? ""} | ${figure.budget} |`;
    console.log(line);
    rows.push(line);
  }
  if (wanted.length > 0) return;
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`;
  const text = [
    "# Performance",
    "",
    `Measured by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, ${machine}. The floor is \`bench/floor.mjs\`, a bare Node loop with three tools and no features, doing the same work in the same run; figures are medians, and only their ratio travels to another machine. Commands of lathe run in the sandbox, those of the floor do not. The model is scripted and answers without delay.`,
    "",
    "| figure | floor | lathe | ratio | budget |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ];
  writeFileSync("docs/performance.md", text.join("\n"));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
