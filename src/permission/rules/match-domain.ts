/** True when an allow rule names the host: exactly, or by `*.` for the names below; `*` for public hosts. */
export function allowsDomain(match: string, host: string, isPrivate: boolean): boolean {
  const wanted = domainOf(match);
  if (wanted === host) return true;
  if (isPrivate) return false;
  if (wanted === "*") return true;
  return wanted.startsWith("*.") && host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1;
}

/** True when a deny or ask rule covers the host: a name covers the names below it too. */
export function deniesDomain(match: string, host: string): boolean {
  const wanted = domainOf(match);
  if (wanted === "*" || wanted === host) return true;
  return host.endsWith(`.${wanted.replace(/^\*\./, "")}`);
}

function domainOf(match: string): string {
  return (match.startsWith("domain:") ? match.slice(7) : match).toLowerCase().replace(/\.$/, "");
}
