import { lstatSync } from "node:fs";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import { isWithin } from "../../shared/fs.ts";
import { realOrNull } from "../git/repositories.ts";
import type { Wall } from "../wall/wall.ts";

/** Empty files to lie over others: one that cannot be opened, and one that can. */
export type Covers = { closed: string; empty: string };

export type MountPlan = {
  policy: SandboxPolicy;
  writable: boolean;
  wall: Wall;
  covers: Covers;
};

type Mount = { path: string; rank: number; args: string[] };

/** Order of mounts at the same path: what hides comes last. */
const RANK = { show: 0, carry: 1, close: 2, hide: 3 } as const;

/** The file system of a command as bubblewrap arguments. */
export function mountArguments(plan: MountPlan): string[] {
  const bridges = tmpBridges(plan);
  return [
    ...baseMounts(plan.policy),
    ...bridges.flatMap((path) => ["--tmpfs", path]),
    ...ordered(specialMounts(plan)),
    ...bridges.flatMap((path) => ["--remount-ro", path]),
  ];
}

/**
 * Folders between /tmp and what is shown deeper in it. They are empty and unwritable, and not made in the
 * session's temp folder, where a command could have put a link in their place.
 */
function tmpBridges({ policy, wall }: MountPlan): string[] {
  const shown = [...policy.writableRoots, ...policy.readableRoots, ...policy.allowSockets, ...wall.writable];
  const deep = shown.filter((path) => isWithin("/tmp", path) && path.split("/").length > 3);
  const tops = new Set(deep.map((path) => path.split("/").slice(0, 3).join("/")));
  return [...tops].filter((top) => !shown.some((path) => isWithin(path, top)));
}

/** Everything of the host readable; system folders that carry state between programs are private. */
function baseMounts(policy: SandboxPolicy): string[] {
  const tmp =
    policy.limits.tmpMb === null ? ["--bind", policy.tmpDir, "/tmp"] : limitedTmp(policy.limits.tmpMb);
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm"],
    ...["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    ...["--tmpfs", "/run"],
    ...KEPT_OF_RUN.flatMap((path) => ["--ro-bind-try", path, path]),
    ...(isFolder("/var/tmp") ? ["--perms", "1777", "--tmpfs", "/var/tmp"] : []),
    ...tmp,
  ];
}

/** Parts of /run that are programs and settings, not sockets. */
const KEPT_OF_RUN = ["/run/current-system", "/run/wrappers", "/run/opengl-driver"];

const limitedTmp = (megabytes: number): string[] => [
  "--perms",
  "1777",
  "--size",
  String(megabytes * 1024 * 1024),
  "--tmpfs",
  "/tmp",
];

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Parents before children; at one path in the order of `RANK`. */
function ordered(mounts: Mount[]): string[] {
  const depth = (path: string): number => (path === "/" ? 0 : path.split("/").length);
  return mounts
    .sort((one, other) => depth(one.path) - depth(other.path) || one.rank - other.rank)
    .flatMap((mount) => mount.args);
}

function specialMounts({ policy, writable, wall, covers }: MountPlan): Mount[] {
  const mounts: Mount[] = [];
  const bind = (path: string, readOnly: boolean, rank: number, from = path): void => {
    mounts.push({ path, rank, args: [readOnly ? "--ro-bind" : "--bind", from, path] });
  };
  for (const path of policy.writableRoots) bind(path, !writable, RANK.show);
  for (const path of shownElsewhere(policy, wall)) bind(path, true, RANK.show);
  for (const path of policy.allowSockets) if (realOrNull(path) === path) bind(path, true, RANK.show);
  if (writable) {
    for (const path of wall.writable) bind(path, false, RANK.show);
    for (const path of wall.carried) bind(path, false, RANK.carry);
    for (const path of wall.readOnly) bind(path, true, RANK.close);
    for (const path of wall.placeholders) bind(path, true, RANK.close);
  }
  for (const path of wall.hiddenFiles) bind(path, true, RANK.hide, covers.closed);
  for (const path of wall.emptiedFiles) bind(path, true, RANK.hide, covers.empty);
  for (const path of wall.revealed) bind(path, true, RANK.hide);
  for (const path of wall.hiddenDirectories) {
    const open = [...policy.writableRoots, ...wall.writable, ...wall.revealed].some((one) =>
      isWithin(path, one),
    );
    mounts.push({ path, rank: RANK.hide, args: ["--perms", open ? "0711" : "0000", "--tmpfs", path] });
  }
  return mounts.filter(({ path }) => isNeeded(path, policy, wall));
}

/** Readable folders inside a place that is private or hidden otherwise. */
const shownElsewhere = (policy: SandboxPolicy, wall: Wall): string[] =>
  policy.readableRoots.filter(
    (path) =>
      isFolder(path) &&
      ["/tmp", "/run", "/var/tmp", ...wall.hiddenDirectories].some((folder) => isWithin(folder, path)),
  );

/** Nothing is to be hidden inside a folder that is gone already, unless a root or a grant lies there. */
function isNeeded(path: string, policy: SandboxPolicy, wall: Wall): boolean {
  const shown = [
    ...policy.writableRoots,
    ...policy.readableRoots,
    ...policy.allowSockets,
    ...wall.writable,
    ...wall.revealed,
  ];
  if (shown.some((one) => isWithin(one, path))) return true;
  const gone = [...wall.hiddenDirectories].some((folder) => folder !== path && isWithin(folder, path));
  const isPrivate = ["/tmp", "/run", "/var/tmp", "/dev"].some((folder) => isWithin(folder, path));
  return !gone && !isPrivate;
}
