/** Commands that change nothing, whatever their arguments. */
export const ANY_ARGUMENTS: ReadonlySet<string> = new Set(
  (
    "ls pwd cat head tail wc grep egrep fgrep echo true false : cd pushd popd dirs du df basename dirname " +
    "realpath readlink which type whoami id uname nproc arch uptime free ps sleep seq cut tr paste join comm diff " +
    "cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump nl tac rev fold fmt " +
    "column expand unexpand tsort strings stat jq printenv groups tty wait exit return break continue shift " +
    "getconf vdir dir jobs times logname numfmt pathchk look"
  ).split(" "),
);

/** Commands that change nothing without these options. */
export const DANGEROUS_OPTIONS: Readonly<Record<string, readonly string[] | undefined>> = {
  sort: ["-o", "-T", "--output", "--compress-program", "--temporary-directory"],
  rg: ["--pre", "--hostname-bin", "--search-zip", "-z"],
  fd: ["-x", "-X", "--exec", "--exec-batch"],
  fdfind: ["-x", "-X", "--exec", "--exec-batch"],
  tree: ["-o", "-R"],
  date: ["-s", "--set"],
  file: ["-C", "--compile", "-z", "-Z", "--uncompress", "--uncompress-noreport"],
  printf: ["-v"],
  base64: ["-o", "--output"],
  base32: ["-o", "--output"],
  yq: ["-i", "--inplace", "-s", "--split-exp"],
  bat: ["--pager", "--config-file"],
};

/** Programs that may be asked for their version. */
export const VERSION_ONLY: ReadonlySet<string> = new Set(
  (
    "node npm npx pnpm yarn bun deno python python3 pip pip3 cargo rustc go java javac gcc g++ clang make cmake " +
    "docker tsc ruby perl php bash curl wget rg jq uv poetry"
  ).split(" "),
);
