import { access, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where the project begins that a folder belongs to: the top of its git work tree, else the folder; a real path. */
export async function projectOf(folder: string): Promise<string> {
  const real = await realpath(folder);
  for (let at = real; ; at = dirname(at)) {
    if (await exists(join(at, ".git"))) return at;
    if (at === dirname(at)) return real;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
