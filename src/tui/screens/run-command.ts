import type { PermissionMode } from "../../protocol/permission.ts";
import type { Methods } from "../../protocol/rpc.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import type { SessionLink } from "../session-link.ts";
import type { TuiHost } from "../tui-host.ts";
import type { View } from "../view-state/view.ts";
import type { Command } from "./slash-commands.ts";

type Context = Methods["session.context"]["result"];

export type CommandOutcome =
  | { type: "nothing" }
  | { type: "text"; title: string; text: string }
  | { type: "picker"; sessions: SessionInfo[]; query: string };

/** Carries out a command that needs the daemon; rejects with the daemon's words. */
export async function runCommand(
  command: Exclude<Command, { type: "show" | "leave" }>,
  link: SessionLink,
  host: TuiHost,
): Promise<CommandOutcome> {
  switch (command.type) {
    case "clear":
      await link.clear();
      return { type: "nothing" };
    case "compact":
      await link.compact(command.focus);
      return { type: "nothing" };
    case "context":
      return { type: "text", title: "context", text: contextText(await link.context()) };
    case "model":
      await link.update({ model: command.model });
      return { type: "nothing" };
    case "mode":
      await link.update({ mode: command.mode });
      return { type: "nothing" };
    case "rename":
      await link.update({ title: command.title });
      return { type: "text", title: "renamed", text: command.title };
    case "sessions":
      return { type: "picker", sessions: await link.sessions(command.search), query: command.search };
    case "models":
      return { type: "text", title: "models", text: await modelList(link, host) };
  }
}

/** Tokens by part, then the whole against the window. */
function contextText({ parts, used, measured, compactsAt, window, model }: Context): string {
  const row = (name: string, count: number): string =>
    `  ${name.padEnd(14)}${count.toLocaleString("en").padStart(10)}`;
  return [
    ...parts.map((part) => row(part.name, part.tokens)),
    row(measured ? "used" : "used (about)", used),
    row("compacted at", compactsAt),
    window === null ? "  window of this model: not known" : row("window", window),
    `  ${model}`,
  ].join("\n");
}

async function modelList(link: SessionLink, host: TuiHost): Promise<string> {
  const { models } = await link.client.call("models.list", { cwd: host.cwd, context: host.context });
  const rows = models
    .filter((model) => model.available)
    .map((model) => `  ${model.id}  ${model.note}`.trimEnd());
  return [...rows, "choose with /model PROVIDER/MODEL"].join("\n");
}

/** Shift-Tab goes round these; read-only and bypass are chosen by name. */
const ROUND: readonly PermissionMode[] = ["ask", "accept-edits", "auto"];

/** Switches to the mode that follows. */
export async function toNextMode(link: SessionLink, view: View): Promise<void> {
  const at = ROUND.indexOf(view.session?.mode ?? "bypass");
  await link.update({ mode: ROUND[(at + 1) % ROUND.length] ?? "ask" });
}
