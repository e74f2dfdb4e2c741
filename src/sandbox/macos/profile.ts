import type { SandboxPolicy } from "../../protocol/ports.ts";
import { anchorPattern } from "../policy/pattern.ts";

export type ProfileOptions = {
  policy: SandboxPolicy;
  writable: boolean;
  /** Stands in the system log beside each denial of this command. */
  tag: string;
  /** Ports of the gate on loopback; empty: no network at all. */
  gatePorts: readonly number[];
};

/**
 * The Seatbelt profile of one command: everything readable but the secrets, nothing writable but the roots and
 * the session's temp folder, protected names and their folders kept, no network but the gate. Of rules that
 * match, the last one counts.
 */
export function seatbeltProfile(options: ProfileOptions): string {
  const { policy, tag } = options;
  const deny = (operation: string, ...filters: string[]): string =>
    `(deny ${operation} ${[...filters, `(with message ${quoted(tag)})`].join(" ")})`;
  return [
    "(version 1)",
    "(allow default)",
    ...hostServices(deny),
    ...network(options, deny),
    deny("file-write*"),
    `(allow file-write* ${[...DEVICES, ...writablePlaces(options)].join(" ")})`,
    ...(options.writable ? protectedRules(policy, deny) : []),
    ...secretRules(policy, deny),
    "",
  ].join("\n");
}

type Deny = (operation: string, ...filters: string[]) => string;

/** Ways to have others act: opening with other applications, events, other processes, the keychain. */
const hostServices = (deny: Deny): string[] => [
  deny("lsopen"),
  deny("appleevent-send"),
  deny("signal"),
  "(allow signal (target same-sandbox))",
  deny("process-info*"),
  "(allow process-info* (target same-sandbox))",
  deny(
    "mach-lookup",
    ...[
      "com.apple.SecurityServer",
      "com.apple.securityd",
      "com.apple.pasteboard.1",
      "com.apple.coreservices.launchservicesd",
      "com.apple.lsd.open",
      "com.apple.tccd",
    ].map((name) => `(global-name ${quoted(name)})`),
  ),
];

/** Servers of a command's own may listen; connections go to the gate only. */
function network({ policy, gatePorts }: ProfileOptions, deny: Deny): string[] {
  return [
    deny("network*"),
    '(allow network-bind (local ip "localhost:*"))',
    '(allow network-inbound (local ip "localhost:*"))',
    ...gatePorts.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    // Sockets of programs' own, in places that only they write.
    ...[...policy.writableRoots, policy.tmpDir].map(
      (path) => `(allow network-bind network-outbound (path-regex ${regex(`^${escaped(path)}/`)}))`,
    ),
    ...policy.allowSockets.map((path) => `(allow network-outbound (literal ${quoted(path)}))`),
  ];
}

const DEVICES = [
  '(literal "/dev/null")',
  '(literal "/dev/zero")',
  '(literal "/dev/tty")',
  '(literal "/dev/ptmx")',
  '(regex #"^/dev/ttys[0-9]+$")',
  '(regex #"^/dev/fd/[0-9]+$")',
];

const writablePlaces = ({ policy, writable }: ProfileOptions): string[] =>
  [...(writable ? policy.writableRoots : []), policy.tmpDir].map((path) => `(subpath ${quoted(path)})`);

/** Protected names in every depth and case; what holds one cannot be renamed or removed either. */
function protectedRules(policy: SandboxPolicy, deny: Deny): string[] {
  return policy.writableRoots.flatMap((root) => {
    const names = policy.protectedNames.filter((name) => !name.startsWith("/"));
    const leaves = names.map((name) => filter(`^${escaped(root)}/(.*/)?${globSource(trimmed(name))}(/.*)?$`));
    const parents = [...new Set(names.flatMap((name) => parentsOf(trimmed(name))))];
    const folders = parents.map((name) => filter(`^${escaped(root)}/(.*/)?${globSource(name)}$`));
    return [
      deny("file-write*", ...leaves, filter(`^${escaped(root)}/(.*/)?${globSource(".git")}$`)),
      // A new `.git` folder is allowed, as for `git init`; to replace or remove one is not.
      `(allow file-write-create ${filter(`^${escaped(root)}/(.*/)?${globSource(".git")}$`)} (vnode-type DIRECTORY))`,
      deny("file-write-unlink", ...folders, `(literal ${quoted(root)})`),
    ];
  });
}

function parentsOf(name: string): string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Secrets, and grants after them. A pattern that is taken back becomes a grant at its place in the list. */
function secretRules(policy: SandboxPolicy, deny: Deny): string[] {
  const place = { roots: policy.writableRoots, home: policy.home };
  const filters = (pattern: string): string =>
    anchorPattern(pattern, place)
      .map(({ base, rest }) =>
        filter(`^${base === "/" ? "" : escaped(base)}/${globSource(trimmed(rest))}(/.*)?$`),
      )
      .join(" ");
  const rules = policy.denyRead.map((pattern) =>
    pattern.startsWith("!")
      ? `(allow file-read* ${filters(pattern.slice(1))})`
      : deny("file-read* file-write*", filters(pattern)),
  );
  const grants = policy.allowRead.map((pattern) => `(allow file-read* ${filters(pattern)})`);
  const own = [policy.tmpDir].map((path) => `(allow file-read* file-write* (subpath ${quoted(path)}))`);
  return [...rules, ...grants, ...own];
}

const trimmed = (name: string): string => name.replace(/\/+$/, "");
const filter = (source: string): string => `(regex ${regex(source)})`;
const regex = (source: string): string => `#"${source.replaceAll('"', '\\"')}"`;
const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const escaped = (path: string): string => path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** A glob as an expression of Seatbelt, which knows no flags: letters stand in both cases. */
function globSource(glob: string): string {
  let out = "";
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at);
    const character = glob[at] ?? "";
    if (rest.startsWith("**/")) {
      out += "(.*/)?";
      at += 2;
    } else if (rest.startsWith("**")) {
      out += ".*";
      at += 1;
    } else if (character === "*") out += "[^/]*";
    else if (character === "?") out += "[^/]";
    else if (/[a-z]/i.test(character)) out += `[${character.toLowerCase()}${character.toUpperCase()}]`;
    else out += escaped(character);
  }
  return out;
}
