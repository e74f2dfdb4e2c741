import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Client } from "../../client/client.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import { AppError } from "../../shared/error.ts";
import { cutText, plural, stripControls } from "../../shared/text.ts";
import { type CliHost, print, say } from "../host.ts";
import { findSession } from "../session-of.ts";
import { commandArgs, usage } from "./subcommand-args.ts";

/** `lathe sessions ...` */
export async function sessionsCommand(host: CliHost, args: string[]): Promise<number> {
  const [verb = "list", ...rest] = args;
  const client = await host.connect();
  try {
    switch (verb) {
      case "list":
        return await list(client, host, rest);
      case "show":
        return await show(client, host, rest);
      case "context":
        return await context(client, host, rest);
      case "delete":
        return await remove(client, host, rest);
      case "export":
        return await exportSession(client, host, rest);
      default:
        throw usage(`lathe sessions has no "${verb}"`, "sessions");
    }
  } finally {
    client.close();
  }
}

async function list(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("sessions list", args, {
    all: { type: "boolean" },
    search: { type: "string" },
    limit: { type: "string" },
    json: { type: "boolean" },
  });
  const limit = values.limit === undefined ? 50 : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw usage(`--limit takes a whole number, not "${values.limit}"`, "sessions");
  const { sessions } = await client.call("session.list", {
    cwd: values.all ? undefined : host.cwd,
    search: values.search,
    limit,
  });
  if (values.json) print(host, JSON.stringify(sessions, null, 2));
  else if (sessions.length === 0) {
    say(
      host,
      values.all
        ? "There are no sessions."
        : "There are no sessions of this folder; --all shows those of every folder.",
    );
  } else for (const session of sessions) print(host, row(session));
  return 0;
}

function row(session: SessionInfo): string {
  const when = new Date(session.updatedAt).toISOString().slice(0, 16).replace("T", " ");
  const cost = session.usage.cost === null ? "" : `  $${session.usage.cost.toFixed(2)}`;
  const title = session.title === "" ? "(no prompt yet)" : session.title;
  return stripControls(
    `${session.id}  ${when}  ${session.status.padEnd(8)}  ${plural(session.messageCount, "message")}${cost}  ${cutText(title, 60, "…")}`,
  );
}

async function show(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { values, positionals } = commandArgs("sessions show", args, { json: { type: "boolean" } });
  const session = await findSession(client, named(positionals, "show"), host.cwd);
  const { export: exported } = await client.call("session.export", { sessionId: session.id });
  if (values.json) {
    print(host, JSON.stringify(exported, null, 2));
    return 0;
  }
  print(host, row(session));
  print(host, `folder ${session.cwd}, model ${session.model}, mode ${session.mode}`);
  for (const message of exported.messages as unknown as Message[])
    print(host, stripControls(messageText(message)));
  return 0;
}

function messageText(message: Message): string {
  const head = message.kind === "prompt" ? "\n> " : message.kind === "tool_results" ? "" : "\n";
  return (
    head +
    message.content
      .map(blockText)
      .filter((text) => text !== "")
      .join("\n")
  );
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
    case "reminder":
      return "";
    case "image":
      return `[image ${block.name ?? block.blob.mediaType}]`;
    case "tool_call":
      return `  ${block.name} ${cutText(JSON.stringify(block.input), 200, "...")}`;
    case "tool_result": {
      const text = block.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
      return `  = ${block.status}: ${cutText(text.replaceAll("\n", "\n    "), 500, "...")}`;
    }
  }
}

/** What fills the model's window, in tokens. */
async function context(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { values, positionals } = commandArgs("sessions context", args, { json: { type: "boolean" } });
  const { id } = await findSession(client, named(positionals, "context"), host.cwd);
  const report = await client.call("session.context", { sessionId: id });
  if (values.json) {
    print(host, JSON.stringify(report, null, 2));
    return 0;
  }
  const { model, window, compactsAt, used, measured, parts } = report;
  const line = (name: string, tokens: number): string =>
    `${name.padEnd(14)}${tokens.toLocaleString("en").padStart(10)}`;
  for (const part of parts) print(host, line(part.name, part.tokens));
  print(host, line(measured ? "used" : "used (about)", used));
  print(host, line("compacted at", compactsAt));
  print(host, window === null ? "window         not known" : line("window", window));
  print(host, stripControls(`model          ${model}`));
  return 0;
}

async function remove(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { positionals } = commandArgs("sessions delete", args, {});
  named(positionals, "delete");
  for (const name of positionals) {
    const session = await findSession(client, name);
    await client.call("session.delete", { sessionId: session.id });
    print(host, `deleted ${session.id}`);
  }
  return 0;
}

async function exportSession(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { positionals } = commandArgs("sessions export", args, {});
  const session = await findSession(client, named(positionals, "export"), host.cwd);
  const { export: exported } = await client.call("session.export", { sessionId: session.id });
  const text = `${JSON.stringify(exported, null, 2)}\n`;
  const file = positionals[1];
  if (file === undefined) {
    print(host, text);
    return 0;
  }
  const path = resolve(host.cwd, file);
  if (existsSync(path)) throw new AppError("bad_input", `${file} exists already; choose another name`);
  writeFileSync(path, text, { mode: 0o600 });
  say(host, `wrote ${file}`);
  return 0;
}

function named(positionals: string[], verb: string): string {
  const [name] = positionals;
  if (name === undefined) throw usage(`lathe sessions ${verb} needs a session`, "sessions");
  return name;
}
