import { readdir, readFile, readlink } from "node:fs/promises";
import type { Socket } from "node:net";
import { descendantsOf } from "../supervisor/process-tree.ts";

/**
 * Which of several commands opened a connection that carries no credentials: the kernel knows the socket by its
 * address, and the process that holds it. `null` when it cannot be told.
 */
export async function ownerOf(
  socket: Socket,
  namespacePid: number,
  commands: readonly number[],
): Promise<number | null> {
  const inode = await inodeOf(socket, namespacePid);
  if (inode === null) return null;
  for (const command of commands) {
    for (const pid of [command, ...(await descendantsOf(command))]) {
      if (await holds(pid, inode)) return command;
    }
  }
  return null;
}

async function inodeOf(socket: Socket, namespacePid: number): Promise<string | null> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !localAddress || remotePort === undefined || localPort === undefined) return null;
  const near = endpoint(remoteAddress, remotePort);
  const far = endpoint(localAddress, localPort);
  const table = await readFile(`/proc/${namespacePid}/net/tcp`, "latin1").catch(() => "");
  for (const line of table.split("\n")) {
    const fields = line.trim().split(/\s+/);
    if (fields[1] === near && fields[2] === far) return fields[9] ?? null;
  }
  return null;
}

/** An IPv4 endpoint as the kernel prints it: the address as a number of this machine's byte order. */
function endpoint(address: string, port: number): string {
  const bytes = Buffer.from(
    address
      .replace(/^::ffff:/, "")
      .split(".")
      .map(Number),
  ).reverse();
  return `${bytes.toString("hex")}:${port.toString(16).padStart(4, "0")}`.toUpperCase();
}

async function holds(pid: number, inode: string): Promise<boolean> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const name of names) {
    const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => "");
    if (target === `socket:[${inode}]`) return true;
  }
  return false;
}
