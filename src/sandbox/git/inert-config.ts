import { dirname, isAbsolute, resolve } from "node:path";
import { isWithin } from "../../shared/fs.ts";

/** Settings that make git start nothing and read nothing else, whatever their value. Keys as git prints them. */
const INERT = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|checkstat|trustctime|untrackedcache|preloadindex|sharedrepository|sparsecheckout|sparsecheckoutcone|protecthfs|protectntfs|commentchar|whitespace|compression|longpaths|splitindex|commitgraph|multipackindex)$/,
  /^extensions\.(objectformat|refstorage|noop|noop-v1|partialclone|preciousobjects|worktreeconfig|compatobjectformat|relativeworktrees)$/,
  /^remote\..*\.(url|fetch|pushurl|push|mirror|tagopt|prune|prunetags|promisor|partialclonefilter|skipdefaultupdate|skipfetchall)$/s,
  /^branch\..*\.(remote|pushremote|merge|rebase|description)$/s,
  /^branch\.(autosetupmerge|autosetuprebase|sort)$/,
  /^submodule\..*\.(url|active|branch|ignore|fetchrecursesubmodules|shallow)$/s,
  /^submodule\.(active|recurse|fetchjobs|propagatebranches)$/,
  /^user\.(name|email|signingkey|useconfigonly)$/,
  /^(author|committer)\.(name|email)$/,
  /^init\.defaultbranch$/,
  /^pull\.(rebase|ff)$/,
  /^push\.(default|autosetupremote|followtags)$/,
  /^fetch\.(prune|prunetags|recursesubmodules|parallel|writecommitgraph|showforcedupdates)$/,
  /^merge\.(ff|conflictstyle|renames|renamelimit|stat|log)$/,
  /^rebase\.(autosquash|autostash|updaterefs|stat)$/,
  /^diff\.(algorithm|renames|renamelimit|context|colormoved|mnemonicprefix|noprefix|submodule|ignoresubmodules)$/,
  /^(color|advice|index|feature|pack|gc|maintenance|log|status|tag|column|rerere|commitgraph|transfer|receive|repack)\.(?!.*(cmd|command|program|helper|hook|path|file)).*$/s,
  /^commit\.(gpgsign|cleanup|verbose|status)$/,
  /^lfs\.(repositoryformatversion|url|locksverify)$/,
  /^lfs\..*\.(access|locksverify)$/s,
];

/**
 * True when a setting of a repository cannot start a program or change the configuration. `core.worktree` is
 * inert while it stays inside `folders`.
 */
export function isInertSetting(
  key: string,
  value: string,
  file: string,
  folders: readonly string[],
): boolean {
  const name = key.toLowerCase();
  if (name === "core.worktree") {
    const place = isAbsolute(value) ? value : resolve(dirname(file), value);
    return folders.some((folder) => isWithin(folder, place));
  }
  // Transports that are programs. git refuses them by default, but a user may have allowed them.
  if (/^(remote|submodule)\..*url$/s.test(name))
    return !/^\s*(ext|fd)::/i.test(value) && !value.startsWith("-");
  return INERT.some((pattern) => pattern.test(name));
}

/** A config file that holds just these settings. Keys come from git, so their sections need no check. */
export function writeConfig(entries: readonly [string, string][]): string {
  return entries
    .map(([key, value]) => {
      const first = key.indexOf(".");
      const last = key.lastIndexOf(".");
      const section = key.slice(0, first);
      const middle = first === last ? "" : ` "${key.slice(first + 1, last).replace(/["\\]/g, "\\$&")}"`;
      return `[${section}${middle}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
    })
    .join("");
}

const quoted = (value: string): string =>
  `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
