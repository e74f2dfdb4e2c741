const MAX_LINES = 20_000;
const MAX_LINE = 400;

/** The lines of a text most like the first telling line of `wanted`, to help find what was meant. */
export function similarLines(text: string, wanted: string): { line: number; text: string }[] {
  const probe = wanted
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line.length > 2);
  if (probe === undefined) return [];
  const target = pairs(probe.slice(0, MAX_LINE));
  return text
    .split("\n", MAX_LINES)
    .map((line, index) => ({ line: index + 1, text: line.trim(), score: score(line.trim(), probe, target) }))
    .filter((candidate) => candidate.score >= 0.6)
    .sort((a, b) => b.score - a.score || a.line - b.line)
    .slice(0, 3)
    .map(({ line, text: found }) => ({ line, text: found.slice(0, 120) }));
}

function score(line: string, probe: string, target: Map<string, number>): number {
  if (line === probe) return 1;
  if (line.length < 3 || line.length > 3 * probe.length + 20) return 0;
  const own = pairs(line.slice(0, MAX_LINE));
  let shared = 0;
  for (const [pair, count] of own) shared += Math.min(count, target.get(pair) ?? 0);
  return (2 * shared) / (total(own) + total(target));
}

function pairs(line: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let index = 0; index + 1 < line.length; index++) {
    const pair = line.slice(index, index + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

function total(counts: Map<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
