import { isIP } from "node:net";

const MAX_LENGTH = 253;

/**
 * The one spelling of a host that is matched, resolved and dialled; `null` when two readers could read it in two
 * ways (control characters, `%`, `@`, non-ASCII, empty labels). Lower case, no trailing dot, IPv4 in any form as
 * four numbers, IPv6 without brackets.
 */
export function canonicalHost(raw: string): string | null {
  if (raw.length === 0 || raw.length > MAX_LENGTH + 1) return null;
  if (!/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)$/.test(raw)) return null;
  let host: string;
  try {
    host = new URL(`http://${raw}/`).hostname;
  } catch {
    return null;
  }
  host = host.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host === "" || host.endsWith(".") || host.includes("..") || host.startsWith(".")) return null;
  // A name whose last label is a number could still be read as an address by somebody.
  if (isIP(host) === 0 && /(^|\.)(\d+|0x[0-9a-f]*)$/i.test(host)) return null;
  return host;
}

/** `host:port` or `[v6]:port` in its parts; `null` when it is neither. */
export function splitAuthority(
  authority: string,
  defaultPort: number | null,
): { host: string; port: number } | null {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority);
  if (!match) return null;
  const port = match[2] === undefined ? defaultPort : Number(match[2]);
  if (port === null || port < 1 || port > 65_535) return null;
  return { host: match[1] ?? "", port };
}
