/**
 * Names that no command and no file tool may write below a writable root, at any depth and in any case: what
 * runs later as the user. Whole folders end in `/`. `**` stands for any number of components, `*` for one.
 *
 * Left out on purpose: `.gitmodules` (git refuses commands in it), `.husky` and other hook folders of a
 * project (they are protected where git's `core.hooksPath` says that they are hooks), `.envrc` (direnv asks
 * again after a change), Makefile and package.json (the work itself).
 */
export function defaultProtectedNames(): string[] {
  return [
    ".git/hooks/",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/modules/**/hooks/",
    ".git/modules/**/config",
    ".git/modules/**/config.worktree",
    ".git/modules/**/commondir",
    ".git/worktrees/*/config.worktree",
    ".git/worktrees/*/commondir",
    ".gitconfig",
    ".config/git/config",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".config/fish/config.fish",
    ".config/fish/conf.d/",
    ".mcp.json",
    ".lathe/",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/",
    ".claude/commands/",
    ".claude/agents/",
    ".claude/skills/",
    ".codex/",
    ".gemini/",
    ".opencode/",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".idea/",
  ];
}

/**
 * Patterns of what must not be read: keys, credential stores, browsers, `.env` files and the folders in
 * `privateDirs` (lathe's own state and config). A later `!pattern` takes a match back.
 */
export function defaultDenyRead(home: string, privateDirs: readonly string[]): string[] {
  return [
    ...HOME_STORES.map((name) => `~/${name}`),
    ...BROWSERS.map((name) => `~/${name}`),
    ...SYSTEM_SECRETS,
    ...KEY_NAMES,
    "~/*.pem",
    "~/Downloads/*.pem",
    "**/*.pem",
    ...PUBLIC_PEM,
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env.dist",
    "!.env.defaults",
    ...privateDirs.filter((path) => path !== "/" && path !== home),
  ];
}

/** Of the machine; an ordinary user cannot read them anyway. */
const SYSTEM_SECRETS = [
  "//etc/shadow",
  "//etc/shadow-",
  "//etc/gshadow",
  "//etc/gshadow-",
  "//etc/ssh/ssh_host_*_key",
  "//etc/ssl/private",
  "//etc/sudoers.d",
  "//etc/wireguard",
];

const HOME_STORES = [
  ".ssh",
  ".aws",
  ".azure",
  ".config/gcloud",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/doctl",
  ".config/heroku",
  ".config/op",
  ".config/containers/auth.json",
  ".config/git/credentials",
  ".config/rclone",
  ".config/age",
  ".config/sops",
  ".netrc",
  "_netrc",
  ".git-credentials",
  ".gnupg",
  ".kube",
  ".docker/config.json",
  ".dockercfg",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pypirc",
  ".config/pypoetry/auth.toml",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".bundle/config",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".terraform.d/credentials.tfrc.json",
  ".terraformrc",
  ".vault-token",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  "Library/Keychains",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".claude/.credentials.json",
  ".claude.json",
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
  ".local/share/opencode/auth.json",
];

const BROWSERS = [
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/vivaldi",
  ".config/opera",
  ".thunderbird",
  "snap/firefox",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "Library/Application Support/BraveSoftware",
  "Library/Cookies",
  "Library/Safari",
];

const KEY_NAMES = ["id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"];

/** Certificates are public, and keys of tests and dependencies are no secrets but needed. */
const PUBLIC_PEM = [
  "!*cert*.pem",
  "!*chain*.pem",
  "!ca*.pem",
  "!*pub*.pem",
  ...[
    "node_modules",
    "site-packages",
    "dist-packages",
    "test",
    "tests",
    "__tests__",
    "spec",
    "fixtures",
    "testdata",
    "testing",
    "vendor",
    "examples",
  ].map((name) => `!**/${name}/**/*.pem`),
];
