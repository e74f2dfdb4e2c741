import { bypassesProxy } from "./no-proxy.ts";

/** How a URL is reached; `problem` names a variable that cannot be honoured and how to mend it. */
export type Route = { ok: true; proxy: URL | null } | { ok: false; problem: string };

/** Chooses the proxy for a URL from the environment: the variable of its scheme first, then ALL_PROXY. */
export function routeFor(url: URL, environment: Record<string, string>): Route {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  if (bypassesProxy(url.hostname, port, variable(environment, "NO_PROXY")?.value ?? "")) {
    return { ok: true, proxy: null };
  }
  const own = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const found = variable(environment, own) ?? variable(environment, "ALL_PROXY");
  if (!found) return { ok: true, proxy: null };
  const text = found.value.includes("://") ? found.value : `http://${found.value}`;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return { ok: true, proxy };
  const what = proxy ? `a ${proxy.protocol.replace(":", "")} proxy, which is not supported` : "no URL";
  return {
    ok: false,
    problem: `${found.name} names ${what}; give an http:// proxy or add the host to NO_PROXY`,
  };
}

/** A variable in either case, lower first as curl has it; empty counts as unset. */
function variable(environment: Record<string, string>, name: string): { name: string; value: string } | null {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = environment[spelling]?.trim();
    if (value) return { name: spelling, value };
  }
  return null;
}

/** The value of a `proxy-authorization` header for credentials in the proxy's URL. */
export function proxyAuthorization(proxy: URL): string | null {
  if (proxy.username === "" && proxy.password === "") return null;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
