import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const MAX_FILES = 200_000;
const MAX_BYTES = 32 * 1024 * 1024;
const GIT_MS = 2000;
const FRESH_MS = 60_000;
const SHOWN = 50;
const SKIPPED = new Set(["node_modules", ".git", "dist", "build", "target", "__pycache__", ".venv"]);

type Listing = { cwd: string; files: readonly string[]; at: number };

let listing: Listing | null = null;

/** Files of the project that fit the query, best first: what git knows and does not ignore, else a bounded walk. */
export function matchingFiles(cwd: string, query: string): string[] {
  const files = listed(cwd);
  const wanted = query.toLowerCase();
  if (wanted === "") return files.slice(0, SHOWN);
  const scored: { path: string; score: number }[] = [];
  for (const path of files) {
    const score = scoreOf(path, wanted);
    if (score !== null) scored.push({ path, score });
  }
  scored.sort((a, b) => a.score - b.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return scored.slice(0, SHOWN).map(({ path }) => path);
}

/** Lower is better: name begins so, name has it, path has it, its letters come in this order; null: no. */
export function scoreOf(path: string, wanted: string): number | null {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/", lower.length - 2) + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (lower.includes(wanted)) return 2;
  let at = -1;
  for (const character of wanted) {
    at = lower.indexOf(character, at + 1);
    if (at < 0) return null;
  }
  return 3;
}

function listed(cwd: string): readonly string[] {
  const now = performance.now();
  if (listing && listing.cwd === cwd && now - listing.at < FRESH_MS) return listing.files;
  const files = fromGit(cwd) ?? walk(cwd);
  listing = { cwd, files, at: performance.now() };
  return files;
}

function fromGit(cwd: string): string[] | null {
  try {
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const options = {
      cwd,
      maxBuffer: MAX_BYTES,
      timeout: GIT_MS,
      stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"],
    };
    const text = execFileSync("git", args, options).toString("utf8");
    return text.split("\0").filter(Boolean).slice(0, MAX_FILES);
  } catch {
    return null;
  }
}

function walk(cwd: string): string[] {
  const files: string[] = [];
  const folders = [""];
  for (
    let folder = folders.shift();
    folder !== undefined && files.length < 20_000;
    folder = folders.shift()
  ) {
    try {
      for (const entry of readdirSync(join(cwd, folder), { withFileTypes: true })) {
        if (entry.isDirectory()) {
          if (!SKIPPED.has(entry.name)) folders.push(`${folder}${entry.name}/`);
        } else files.push(`${folder}${entry.name}`);
      }
    } catch {
      // A folder that may not be read has nothing to offer.
    }
  }
  return files;
}
