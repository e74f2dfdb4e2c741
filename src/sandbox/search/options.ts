import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Result, SandboxPolicy } from "../../protocol/ports.ts";
import type { Place } from "../../protocol/tool.ts";
import { isWithin } from "../../shared/fs.ts";
import { type Approved, guardRead, NOTHING_APPROVED } from "../file-guard.ts";
import { failFrom } from "../files/errors.ts";
import { judgeRead } from "../policy.ts";

/** What a search works with. */
export type SearchOptions = {
  policy: SandboxPolicy;
  place: Place;
  /** The bundled ripgrep, or `rg` to look for it on `environmentPath`; `null`: always the walk. */
  ripgrep: string | null;
  /** The PATH for ripgrep; nothing else is in its environment. */
  environmentPath: string;
  signal: AbortSignal;
  approved?: Approved;
};

/** Where a search begins: the real path, the root whose ignore files count, and the path as it was asked. */
export type Start = { real: string; root: string; asked: string };

/** Names that are never entered, whatever the ignore files say. */
export const SKIPPED = [".git", "node_modules", "__pycache__", ".venv", "venv", "dist", "build"];

/** Ignore files that count at every level. */
export const NESTED_IGNORES = [".gitignore", ".ignore"];

/** Ignore files of other agents; they stand at the root only. */
export const ROOT_IGNORES = [
  ".geminiignore",
  ".aiderignore",
  ".crushignore",
  ".clineignore",
  ".cursorignore",
];

/** Larger files are not searched. */
export const MAX_FILE_MIB = 20;

/** Longest text of a hit. */
export const MAX_HIT_CHARS = 500;

/** Resolves and judges the place where a search begins. */
export async function startAt(options: SearchOptions, path: string): Promise<Result<Start>> {
  const real = await guardRead(options.policy, options.place, path, {
    approved: options.approved ?? NOTHING_APPROVED,
  });
  if (!real.ok) return real;
  try {
    await stat(real.value);
  } catch (error) {
    return failFrom(error, path);
  }
  const roots = [...options.policy.writableRoots, ...options.policy.readableRoots];
  const root = roots.find((one) => isWithin(one, real.value)) ?? dirname(real.value);
  return { ok: true, value: { real: real.value, root, asked: resolve(options.place.cwd, path) } };
}

/** True when a search may show a real path found below its start; secrets are left out in silence. */
export function mayShow(options: SearchOptions, realPath: string): boolean {
  const verdict = judgeRead(options.policy, realPath);
  return verdict.allowed || verdict.why === "outside_roots";
}
