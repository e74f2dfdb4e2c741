import { statSync } from "node:fs";
import { join } from "node:path";
import type { SandboxPolicy } from "../protocol/ports.ts";
import { isWithin } from "../shared/fs.ts";

/** Where a command runs: its directory on the host and as seen inside, and what to tell when it is another. */
export type WorkingDirectory = { host: string; inside: string; note: string | null };

/** The directory asked for; when it is gone, the first root that is still there, with a note. */
export function workingDirectory(asked: string, policy: SandboxPolicy): WorkingDirectory {
  for (const candidate of [asked, ...policy.writableRoots, policy.tmpDir]) {
    const found = placeOf(candidate, policy);
    if (!(statSync(found.host, { throwIfNoEntry: false })?.isDirectory() ?? false)) continue;
    const note =
      candidate === asked
        ? null
        : `lathe: the directory ${asked} does not exist any more; this ran in ${found.inside}\n`;
    return { ...found, note };
  }
  return {
    host: "/",
    inside: "/",
    note: `lathe: no folder of this session exists any more; this ran in /\n`,
  };
}

function placeOf(path: string, policy: SandboxPolicy): { host: string; inside: string } {
  const shown = [...policy.writableRoots, ...policy.readableRoots].some((root) => isWithin(root, path));
  if (!shown && isWithin(policy.tmpDir, path)) {
    return { host: path, inside: join("/tmp", path.slice(policy.tmpDir.length)) };
  }
  if (!shown && isWithin("/tmp", path)) {
    return { host: join(policy.tmpDir, path.slice("/tmp".length)), inside: path };
  }
  return { host: path, inside: path };
}
