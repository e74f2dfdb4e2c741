/** One reading of a URL, for deciding and for dialling. */
export type CanonicalUrl =
  | { ok: true; url: string; host: string; private: boolean }
  | { ok: false; reason: string };

/** Takes http and https URLs with a plain host; refuses what two readers could read in two ways. */
export function canonicalUrl(text: string): CanonicalUrl {
  if (/[\x00-\x20\x7f\\]/.test(text))
    return refuse("it holds white space, a control character or a backslash");
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (!parsed) return refuse("it is not a URL");
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    return refuse(`only http and https can be fetched, not ${parsed.protocol.slice(0, -1)}`);
  }
  if (parsed.username !== "" || parsed.password !== "") return refuse("it holds a user name");
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined || /[^\x21-\x7e]|[%@]/.test(authority)) {
    return refuse("its host is not plain ASCII");
  }
  const host = parsed.hostname.replace(/\.$/, "").toLowerCase();
  if (host === "" || host.includes("..") || host.startsWith(".")) return refuse("its host has an empty part");
  return { ok: true, url: parsed.href, host, private: isPrivateHost(host) };
}

const refuse = (reason: string): CanonicalUrl => ({ ok: false, reason });

/** Loopback, private, link-local and metadata addresses, and the names that mean them. */
export function isPrivateHost(host: string): boolean {
  if (/(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/.test(host)) return true;
  if (host.startsWith("[")) return isPrivateV6(host.slice(1, -1));
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)?.slice(1).map(Number);
  return octets ? isPrivateV4(octets) : !host.includes(".");
}

function isPrivateV4([a = 0, b = 0]: number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 169 && b === 254) return true;
  if (a === 172 && b >= 16 && b < 32) return true;
  if (a === 192 && (b === 168 || b === 0)) return true;
  return (a === 100 && b >= 64 && b < 128) || (a === 198 && (b === 18 || b === 19));
}

/** `URL` writes mapped IPv4 addresses as two groups of hex digits. */
function isPrivateV6(address: string): boolean {
  const mapped = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped) {
    const high = Number.parseInt(mapped[1] ?? "0", 16);
    return isPrivateV4([high >> 8, high & 255]);
  }
  if (/^(64:ff9b:|2002:|2001:0?:)/.test(address)) return true;
  return address.startsWith("::") || /^(f[cd]|fe[89a-f]|ff)/.test(address);
}
