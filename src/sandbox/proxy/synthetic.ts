/** Addresses made up for names that programs look up: 127.77.1.1 and on, in the loopback of their namespace. */
export type SyntheticNames = {
  addressFor(name: string): string;
  /** The name behind an address, or null when it is none of these. */
  nameOf(address: string): string | null;
};

const PREFIX = "127.77";
/** The oldest names are forgotten beyond this. */
const MAX_NAMES = 2000;

export function createSyntheticNames(): SyntheticNames {
  const byName = new Map<string, string>();
  const byAddress = new Map<string, string>();
  let next = 256;
  return {
    addressFor(name) {
      const known = byName.get(name);
      if (known !== undefined) return known;
      const oldest = byName.entries().next();
      if (byName.size >= MAX_NAMES && !oldest.done) {
        byName.delete(oldest.value[0]);
        byAddress.delete(oldest.value[1]);
      }
      next = next >= 65_534 ? 257 : next + 1;
      const address = `${PREFIX}.${next >> 8}.${next & 255}`;
      byName.set(name, address);
      byAddress.set(address, name);
      return address;
    },
    nameOf: (address) => byAddress.get(address) ?? null,
  };
}
