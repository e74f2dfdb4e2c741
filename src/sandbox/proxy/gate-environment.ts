/** Where programs find the gate, with the credentials of one command. */
export function gateEnvironment(
  token: string,
  gate: { host: string; httpPort: number; socksPort: number },
): Record<string, string> {
  const http = `http://lathe:${token}@${gate.host}:${gate.httpPort}`;
  const socks = `socks5h://lathe:${token}@${gate.host}:${gate.socksPort}`;
  const direct = "localhost,127.0.0.1,::1,.localhost";
  return {
    ...{ HTTP_PROXY: http, HTTPS_PROXY: http, http_proxy: http, https_proxy: http },
    ...{ ALL_PROXY: socks, all_proxy: socks, NO_PROXY: direct, no_proxy: direct },
    ...{ YARN_HTTP_PROXY: http, YARN_HTTPS_PROXY: http, NODE_USE_ENV_PROXY: "1" },
  };
}
