const NAMES = new Set([
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "PATH",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
]);

const PREFIXES = ["LC_", "XDG_", "LATHE_"];

const SECRET = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i;

/**
 * What the daemon inherits of a client's environment: where things are and how to speak, never a key. All
 * else that work needs comes with each session (ClientContext).
 */
export function daemonEnvironment(environment: Record<string, string | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || SECRET.test(name)) continue;
    if (NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))) kept[name] = value;
  }
  return kept;
}
