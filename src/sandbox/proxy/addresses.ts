import { BlockList, isIP, isIPv4 } from "node:net";

/** Addresses that a public name must not lead to: this machine, private networks, metadata, multicast. */
const RESERVED_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** Also the ranges that carry an IPv4 address inside: they would be a second spelling of the above. */
const RESERVED_V6 = [
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

export type AddressJudge = {
  /** True when the address may be dialled: public, or listed. */
  mayDial(address: string): boolean;
};

/**
 * `listed` are addresses or ranges (`10.0.0.0/8`) that may be dialled though private; `own` are addresses of this
 * machine, which may not though public.
 */
export function createAddressJudge(listed: readonly string[], own: readonly string[]): AddressJudge {
  const reserved = listOf([...RESERVED_V4, ...RESERVED_V6, ...own]);
  const open = listOf(listed);
  const contains = (list: BlockList, address: string): boolean =>
    list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  return {
    mayDial: (address) => isIP(address) !== 0 && (contains(open, address) || !contains(reserved, address)),
  };
}

function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const version = isIP(address);
    if (version === 0) continue;
    const family = version === 4 ? "ipv4" : "ipv6";
    list.addSubnet(address, bits === undefined ? (version === 4 ? 32 : 128) : Number(bits), family);
  }
  return list;
}
