import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../protocol/store-port.ts";
import { openStore } from "../open.ts";

/** A store in a folder of its own, with a clock that stands still until it is set. */
export type TemporaryStore = {
  dir: string;
  /** The database file, for tests that look inside or damage it. */
  file: string;
  store: Store;
  clock: { now: number };
  /** Closes it and opens it again, as after a restart. */
  reopen(): Promise<Store>;
  remove(): Promise<void>;
};

export async function temporaryStore(): Promise<TemporaryStore> {
  const dir = mkdtempSync(join(tmpdir(), "lathe-store-"));
  const clock = { now: 1_764_547_200_000 };
  const open = (): Promise<Store> => openStore({ dir, now: () => clock.now });
  const temporary: TemporaryStore = {
    dir,
    file: join(dir, "lathe.sqlite"),
    store: await open(),
    clock,
    async reopen() {
      await temporary.store.close();
      temporary.store = await open();
      return temporary.store;
    },
    async remove() {
      await temporary.store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return temporary;
}
