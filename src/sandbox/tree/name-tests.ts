import { basename } from "node:path";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import { globExpression } from "../policy/pattern.ts";
import type { NameTests } from "./tree-index.ts";

/** Tests of last components for a walk: whatever the policy could mean passes. */
export function nameTests(policy: SandboxPolicy): NameTests {
  return {
    isProtected: lastComponents(policy.protectedNames.filter((name) => !name.startsWith(".git/"))),
    isSecret: lastComponents(policy.denyRead.filter((pattern) => !pattern.startsWith("!"))),
  };
}

function lastComponents(patterns: readonly string[]): (name: string) => boolean {
  const plain = new Set<string>();
  const globs: RegExp[] = [];
  for (const pattern of patterns) {
    const last = basename(pattern).toLowerCase();
    if (/[*?[]/.test(last)) globs.push(globExpression(last));
    else plain.add(last);
  }
  return (name) => plain.has(name.toLowerCase()) || globs.some((glob) => glob.test(name));
}
