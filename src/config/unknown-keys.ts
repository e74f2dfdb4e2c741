/** Known keys, two levels deep; what lies deeper is checked by the schema. */
const KNOWN: Record<string, readonly string[] | null> = {
  $schema: null,
  model: null,
  permissionMode: null,
  permissions: ["allow", "deny", "ask", "additionalDirectories"],
  limits: ["maxTurns", "maxToolCalls", "maxTokens", "maxBudgetUsd", "maxSeconds"],
  models: ["providers", "models"],
  sandbox: ["network", "allowRead", "denyRead", "allowSockets", "limits"],
  tools: ["commandTimeoutSec", "commandTimeoutMaxSec", "outputLimit"],
  env: null,
  daemon: ["idleMinutes"],
};

/** One sentence for each key that means nothing to us, with the key that was probably meant. */
export function unknownKeys(value: Record<string, unknown>): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!Object.hasOwn(KNOWN, key)) return [sentence(key, "", Object.keys(KNOWN))];
    const known = KNOWN[key];
    if (!known || typeof inner !== "object" || inner === null) return [];
    return Object.keys(inner)
      .filter((name) => !known.includes(name))
      .map((name) => sentence(name, `${key}.`, known));
  });
}

function sentence(key: string, prefix: string, known: readonly string[]): string {
  const near = known.map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }));
  const best = near.sort((a, b) => a.distance - b.distance)[0];
  const hint =
    best && best.distance <= Math.max(2, key.length / 3) ? `; did you mean ${prefix}${best.name}?` : "";
  return `unknown key ${prefix}${key} is ignored${hint}`;
}

/** Edit distance (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next[j] = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
