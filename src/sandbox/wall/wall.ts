/**
 * What stands around one command beyond "everything readable, only the roots writable". Absolute, resolved
 * paths; each list says how its paths appear inside.
 */
export type Wall = {
  /** Writable beyond the roots: git directories of linked work trees. */
  writable: Set<string>;
  /** Directories above a protected path: they stay writable, but cannot be renamed or replaced. */
  carried: Set<string>;
  /** Protected paths that exist: readable only. */
  readOnly: Set<string>;
  /** Protected paths that do not exist: an empty, unwritable file while the command runs. */
  placeholders: Set<string>;
  /** Secrets and host sockets: there, but not to be opened. */
  hiddenFiles: Set<string>;
  hiddenDirectories: Set<string>;
  /** Settings of tools that may hold tokens: empty, because the tools refuse to start without. */
  emptiedFiles: Set<string>;
  /** Grants inside hidden directories. */
  revealed: Set<string>;
  /** Git configuration that the command may write; what was in it before (`null`: no such file). */
  compared: Map<string, Buffer | null>;
  /** Protected links with what they say; a mount cannot keep a link, so they are compared afterwards. */
  links: Map<string, string>;
};

export function emptyWall(): Wall {
  return {
    writable: new Set(),
    carried: new Set(),
    readOnly: new Set(),
    placeholders: new Set(),
    hiddenFiles: new Set(),
    hiddenDirectories: new Set(),
    emptiedFiles: new Set(),
    revealed: new Set(),
    compared: new Map(),
    links: new Map(),
  };
}
