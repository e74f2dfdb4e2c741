import type { Fact } from "../../protocol/event.ts";
import type { SandboxState } from "../../protocol/ports.ts";
import { stripControls } from "../../shared/text.ts";
import { type CliHost, say } from "../host.ts";

/** On stderr, in every output format: that commands run bare, or not at all. */
export function warnOfSandbox(host: CliHost, sandbox: SandboxState): void {
  if (sandbox.type === "off") say(host, "lathe: commands run without a sandbox (--sandbox none)");
  if (sandbox.type === "unavailable") {
    const text = `lathe: no sandbox, so commands are refused: ${sandbox.reason}\n${sandbox.mend}`;
    say(host, stripControls(text));
  }
}

/** On stderr, in every output format: what went otherwise than the user may think. */
export function warnOf(host: CliHost, fact: Fact): void {
  if (fact.type === "notice" && fact.level !== "info") say(host, stripControls(`lathe: ${fact.text}`));
}
