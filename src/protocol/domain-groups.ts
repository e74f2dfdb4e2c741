/**
 * Ready-made groups of domains, allowed or denied by one name wherever a domain may stand: in
 * `sandbox.network`, in the policy of `lathe sandbox run` and in rules (`fetch(domain:npm)`).
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  npm: ["*.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io", "repo.yarnpkg.com"],
  pypi: ["pypi.org", "files.pythonhosted.org"],
  crates: ["crates.io", "index.crates.io", "static.crates.io"],
  go: ["proxy.golang.org", "sum.golang.org", "index.golang.org"],
  github: [
    "github.com",
    "api.github.com",
    "codeload.github.com",
    "raw.githubusercontent.com",
    "objects.githubusercontent.com",
    "release-assets.githubusercontent.com",
    "github-releases.githubusercontent.com",
    "media.githubusercontent.com",
    "ssh.github.com",
  ],
  debian: ["*.debian.org"],
};

/** The domains of a group, or null when no group has this name. Names are compared without case. */
export function domainsOfGroup(name: string): readonly string[] | null {
  const key = name.toLowerCase();
  return Object.hasOwn(GROUPS, key) ? (GROUPS[key] ?? null) : null;
}

/** Replaces names of groups by their domains; no public host has a name without a dot. */
export function expandGroups(entries: readonly string[]): string[] {
  return entries.flatMap((entry) => [...(domainsOfGroup(entry) ?? [entry])]);
}
