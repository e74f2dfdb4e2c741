import { expandGroups } from "../../protocol/domain-groups.ts";

/** True when an allow rule names the host: exactly, or by `*.` for the names below; `*` for public hosts, a group for its domains. */
export function allowsDomain(match: string, host: string, isPrivate: boolean): boolean {
  return expandGroups([domainOf(match)]).some((wanted) => allowsName(wanted, host, isPrivate));
}

function allowsName(wanted: string, host: string, isPrivate: boolean): boolean {
  if (wanted === host) return true;
  if (isPrivate) return false;
  if (wanted === "*") return true;
  return wanted.startsWith("*.") && host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1;
}

/** True when a deny or ask rule covers the host: a name covers the names below it too. */
export function deniesDomain(match: string, host: string): boolean {
  return expandGroups([domainOf(match)]).some(
    (wanted) => wanted === "*" || wanted === host || host.endsWith(`.${wanted.replace(/^\*\./, "")}`),
  );
}

function domainOf(match: string): string {
  return (match.startsWith("domain:") ? match.slice(7) : match).toLowerCase().replace(/\.$/, "");
}
