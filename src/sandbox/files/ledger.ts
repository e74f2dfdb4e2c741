/** Content hashes of the files that a session has read or written, by real path. */
export type ReadLedger = {
  get(realPath: string): string | undefined;
  set(realPath: string, hash: string): void;
  delete(realPath: string): void;
  /** Plain JSON to keep; give it back to `createReadLedger`. */
  toJSON(): { [realPath: string]: string };
};

const MAX_ENTRIES = 5_000;

/** A ledger, empty or from what `toJSON` gave; the oldest of more than 5,000 entries are forgotten. */
export function createReadLedger(stored: { [realPath: string]: string } = {}): ReadLedger {
  const hashes = new Map(Object.entries(stored));
  return {
    get: (realPath) => hashes.get(realPath),
    set(realPath, hash) {
      hashes.delete(realPath);
      hashes.set(realPath, hash);
      for (const oldest of hashes.keys()) {
        if (hashes.size <= MAX_ENTRIES) break;
        hashes.delete(oldest);
      }
    },
    delete: (realPath) => void hashes.delete(realPath),
    toJSON: () => Object.fromEntries(hashes),
  };
}
