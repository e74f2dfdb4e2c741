/** Ready-made groups of domains, allowed by one name. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  npm: ["registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io", "repo.yarnpkg.com"],
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
  debian: ["deb.debian.org", "security.debian.org", "snapshot.debian.org", "ftp.debian.org"],
};

export function domainGroups(): string[] {
  return Object.keys(GROUPS);
}

/** Replaces names of groups by their domains; a name without a dot can be nothing else. */
export function expandGroups(entries: readonly string[]): string[] {
  return entries.flatMap((entry) => [...(GROUPS[entry.toLowerCase()] ?? [entry])]);
}
