import { BlockList, isIP } from "node:net";

/** True for names and addresses of this machine, which are never reached through a proxy. */
export function isLoopback(hostname: string): boolean {
  const host = bare(hostname);
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

/**
 * The usual reading of NO_PROXY: names separated by commas or blanks; a name covers its subdomains, with or
 * without a leading dot or `*.`; `name:port` binds to one port; addresses and CIDR ranges; `*` is everything.
 */
export function bypassesProxy(hostname: string, port: number, noProxy: string): boolean {
  if (isLoopback(hostname)) return true;
  const host = bare(hostname);
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => covers(entry, host, port));
}

function covers(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return inRange(entry, host);
  const withPort = /^(.*?|\[.*\]):(\d+)$/.exec(entry);
  const named = withPort && (isIP(entry) === 0 || entry.startsWith("["));
  if (named && Number(withPort[2]) !== port) return false;
  const name = bare(named ? (withPort[1] ?? "") : entry).replace(/^\*?\./, "");
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function inRange(entry: string, host: string): boolean {
  const [network = "", bits = ""] = entry.split("/");
  const family = isIP(bare(network));
  if (
    family === 0 ||
    isIP(host) !== family ||
    !/^\d+$/.test(bits) ||
    Number(bits) > (family === 4 ? 32 : 128)
  ) {
    return false;
  }
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(bare(network), Number(bits), type);
  return list.check(host, type);
}

const bare = (host: string): string => host.toLowerCase().replace(/^\[|\]$/g, "");
