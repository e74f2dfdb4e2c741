import { basename, dirname } from "node:path";
import { isWithin } from "../../shared/fs.ts";
import { sha256 } from "../../shared/hash.ts";
import type { Standing } from "./candidates.ts";
import type { FileHead, InstructionDisk } from "./disk.ts";
import { importsOf, onlyImports } from "./imports.ts";
import { ruleBody } from "./rule-scope.ts";

/** One file's instructions as they stand in the prompt. */
export type InstructionBlock = {
  path: string;
  /** With a note at its end when the file was cut. */
  text: string;
  cut: boolean;
  /** UTF-8 bytes of `text`. */
  bytes: number;
};

/** Bytes of one file, of all together, and of a README that stands in for them. */
export type InstructionCaps = { file: number; total: number; readme: number };

type Surroundings = {
  disk: InstructionDisk;
  caps: InstructionCaps;
  home: string;
  projectFolders: readonly string[];
  userFolders: readonly string[];
};

const MAX_DEPTH = 5;
const SECRET =
  /^\.env(\..*)?$|\.(pem|key|p12|pfx|keystore)$|^id_[a-z0-9]+$|^\.?credentials(\.\w+)?$|^\.(netrc|npmrc|pypirc)$/i;

/** Takes files in the order of their claim; each real file and each text once, all within the caps. */
export function createCollector(around: Surroundings) {
  const { disk, caps } = around;
  const notices: string[] = [];
  const seen = new Set<string>();
  let left = caps.total;

  /** The head of a file that may be read from that standing; null otherwise, with a notice unless `quiet`. */
  const head = async (
    path: string,
    standing: Standing,
    cap: number,
    quiet = false,
  ): Promise<FileHead | null> => {
    const found = await disk.read(path, cap);
    if (found.type === "absent" || (found.type === "fault" && quiet)) return null;
    const fault = found.type === "fault" ? found.reason : refusal(found, standing, around);
    if (fault !== null) notices.push(`${path} was left out: it ${fault}`);
    return found.type === "file" && fault === null ? found : null;
  };

  const isNew = (found: FileHead): boolean => {
    const text = sha256(found.text.trim());
    if (seen.has(found.realPath) || seen.has(text)) return false;
    seen.add(found.realPath).add(text);
    return true;
  };

  const add = (path: string, text: string, totalBytes: number, cap: number): InstructionBlock[] => {
    const kept = cutBytes(text, Math.min(cap, left));
    const cut = kept.length < text.length || totalBytes > cap;
    const keptBytes = Buffer.byteLength(kept);
    left -= keptBytes;
    if (kept.trim() === "") {
      if (cut)
        notices.push(`${path} was left out: the files before it fill the ${size(caps.total)} there are`);
      return [];
    }
    const sizes = `${size(keptBytes)} of ${size(totalBytes)}`;
    // A README was not written for this: that it is cut need not trouble the user.
    if (cut && cap !== caps.readme) notices.push(`${path} was cut: the model is given its first ${sizes}`);
    const note = `[cut: the first ${sizes} are shown; read the file for the rest]`;
    const shown = cut ? `${kept.trimEnd()}\n${note}` : kept.trimEnd();
    return [{ path, text: shown, cut, bytes: Buffer.byteLength(shown) }];
  };

  const take = async (
    path: string,
    standing: Standing,
    kind: "file" | "rule" = "file",
    depth = 0,
  ): Promise<InstructionBlock[]> => {
    // A word behind an @ may be the name of a folder, say: nothing to trouble the user with.
    const found = await head(path, standing, caps.file, depth > 0);
    if (!found || !isNew(found)) return [];
    const text = kind === "rule" ? ruleBody(found.text) : found.text;
    const blocks = onlyImports(text) ? [] : add(path, text, found.totalBytes, caps.file);
    const imports = importsOf(text, path, around.home);
    if (depth >= MAX_DEPTH && imports.length > 0) {
      notices.push(`imports in ${path} were left out: they are more than ${MAX_DEPTH} levels deep`);
      return blocks;
    }
    for (const target of imports) {
      const next = await importStanding(target, path, found, standing, around);
      if (next === "outside")
        notices.push(`${path} imports ${target}, which is outside of the project: left out`);
      else if (next !== "absent") blocks.push(...(await take(target, next, "file", depth + 1)));
    }
    return blocks;
  };

  return {
    notices,
    take: (path: string, standing: Standing, kind?: "file" | "rule") => take(path, standing, kind),
    /** The beginning of a file, without taking it. */
    async peek(path: string, standing: Standing): Promise<string | null> {
      const found = await disk.read(path, caps.file);
      return found.type === "file" && refusal(found, standing, around) === null ? found.text : null;
    },
    takeText: (path: string, text: string) => add(path, text, Buffer.byteLength(text), caps.file),
    async takeReadme(path: string): Promise<InstructionBlock[]> {
      const found = await head(path, "project", caps.readme);
      return found ? add(path, found.text, found.totalBytes, caps.readme) : [];
    },
  };
}

/** Why a file must not enter the prompt, as the end of "it ...": a project cannot point at what is not its own. */
function refusal(found: FileHead, standing: Standing, around: Surroundings): string | null {
  if (SECRET.test(basename(found.realPath))) return "may hold secrets";
  if (standing === "above") return found.foreign ? "belongs to another user" : null;
  if (standing === "user") return null;
  return around.projectFolders.some((folder) => isWithin(folder, found.realPath))
    ? null
    : `leads out of the project, to ${found.realPath}`;
}

/** Whose file an import is, or why it is none. The files of a project may import the user's Markdown. */
async function importStanding(
  target: string,
  importer: string,
  found: FileHead,
  standing: Standing,
  around: Surroundings,
): Promise<Standing | "outside" | "absent"> {
  const isIn = (folders: readonly string[]): boolean => folders.some((folder) => isWithin(folder, target));
  const own = standing === "project" ? [] : [dirname(importer), dirname(found.realPath)];
  if (!(await around.disk.exists(target))) return "absent";
  if (isIn(around.projectFolders)) return "project";
  const markdown = target.endsWith(".md");
  if (markdown && isIn(around.userFolders)) return "user";
  return markdown && isIn(own) ? standing : "outside";
}

/** The longest beginning of at most `max` UTF-8 bytes that ends with a whole character. */
function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= max) return text;
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, max)), { stream: true });
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
