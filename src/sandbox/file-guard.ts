import { lstat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Result, SandboxPolicy } from "../protocol/ports.ts";
import type { Place } from "../protocol/tool.ts";
import { isWithin, realPathOf } from "../shared/fs.ts";
import { fail, failFrom } from "./files/errors.ts";
import { judgeRead, judgeWrite } from "./policy.ts";

/** What the user approved for this one call beyond the policy: real paths; what lies below counts too. */
export type Approved = { outside: readonly string[]; protectedPaths: readonly string[] };

export const NOTHING_APPROVED: Approved = { outside: [], protectedPaths: [] };

/** `final: "keep"` judges a last link itself instead of what it points to (delete, move). */
export type GuardOptions = { approved?: Approved; final?: "follow" | "keep" };

/**
 * The real path that a path of the model stands for: /tmp is the session's private one, as commands see it,
 * and every link is followed. Permission and file layer use this one resolver. When the work tree itself
 * lies below /tmp, only what exists in the private /tmp is taken from there; the rest keeps its host meaning.
 */
export async function resolveInPlace(
  place: Place,
  path: string,
  final: "follow" | "keep" = "follow",
): Promise<Result<string>> {
  if (path.includes("\0")) return fail("invalid", "The path holds a NUL character.");
  const absolute = resolve(place.cwd, path);
  try {
    const mapped = await intoPrivateTmp(place, absolute);
    if (final === "follow") return { ok: true, value: await realPathOf(mapped) };
    return { ok: true, value: join(await realPathOf(dirname(mapped)), basename(mapped)) };
  } catch (error) {
    return failFrom(error, path);
  }
}

async function intoPrivateTmp(place: Place, path: string): Promise<string> {
  if (!isWithin("/tmp", path) || place.tmp === "/tmp") return path;
  if ([place.tmp, place.cwd, ...place.roots].some((own) => isWithin(own, path))) return path;
  const inside = join(place.tmp, relative("/tmp", path));
  if (!place.roots.some((root) => isWithin("/tmp", root))) return inside;
  const folder = dirname(inside);
  const known = (await exists(inside)) || (folder !== place.tmp && (await exists(folder)));
  return known ? inside : path;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Resolves a path and says whether it may be read; the value is the real path to act on. */
export async function guardRead(
  policy: SandboxPolicy,
  place: Place,
  path: string,
  options: GuardOptions = {},
): Promise<Result<string>> {
  const real = await resolveInPlace(place, path, options.final);
  if (!real.ok) return real;
  const verdict = judgeRead(policy, real.value);
  if (verdict.allowed) return real;
  return refuse(verdict, path, real.value, options.approved ?? NOTHING_APPROVED);
}

/** Resolves a path and says whether it may be written; the value is the real path to act on. */
export async function guardWrite(
  policy: SandboxPolicy,
  place: Place,
  path: string,
  options: GuardOptions = {},
): Promise<Result<string>> {
  const real = await resolveInPlace(place, path, options.final);
  if (!real.ok) return real;
  const verdict = judgeWrite(policy, real.value);
  if (verdict.allowed) return real;
  return refuse(verdict, path, real.value, options.approved ?? NOTHING_APPROVED);
}

type Refusal = { allowed: false; why: "outside_roots" | "protected" | "secret"; detail: string };

function refuse(verdict: Refusal, path: string, real: string, approved: Approved): Result<string> {
  const within = (list: readonly string[]): boolean => list.some((one) => isWithin(one, real));
  if (verdict.why === "outside_roots") {
    if (within(approved.outside)) return { ok: true, value: real };
    const where = real === path ? path : `${path} (leads to ${real})`;
    return fail("outside_roots", `Path escapes workspace: ${where}. ${verdict.detail}`.trim());
  }
  if (verdict.why === "protected" && within(approved.protectedPaths)) return { ok: true, value: real };
  return fail(verdict.why, `${verdict.detail} (${path})`);
}
