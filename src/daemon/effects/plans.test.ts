import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Script } from "../../demo/scripted-model/types.ts";
import { type DaemonLab, openDaemonLab } from "../testing/daemon-lab.ts";

let lab: DaemonLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const todo = {
  calls: [{ name: "todo", input: { items: [{ id: "1", text: "look", status: "pending" }] } }],
};

/** A lab whose user has one skill, with a file beside it. */
async function open(script: Script): Promise<{ lab: DaemonLab; notes: string }> {
  lab = await openDaemonLab(script);
  const notes = join(lab.folders.paths.home, ".claude/skills/greet/notes.md");
  mkdirSync(dirname(notes), { recursive: true });
  writeFileSync(join(dirname(notes), "SKILL.md"), "---\ndescription: Greets.\n---\nHello $ARGUMENTS.");
  writeFileSync(notes, "QUARTZ");
  return { lab, notes };
}

const lastRequest = (): string => JSON.stringify(lab?.model.requests.at(-1)?.body);

it("a skill that the user calls for opens its folder, also for the next daemon, until the session is cleared", async () => {
  const read = { calls: [{ name: "read_file", input: { path: "~/.claude/skills/greet/notes.md" } }] };
  const { lab, notes } = await open([{ text: "a" }, { ...read }, { text: "b" }, { ...read }, { text: "c" }]);
  const client = lab.client();
  const id = await client.session();
  await client.turn(id, "/greet Ann");
  expect(lastRequest()).toContain('<skill name=\\"greet\\">Hello Ann.</skill>');
  expect((await lab.hub.get(id)).policy.readableRoots).toEqual([dirname(notes)]);
  client.close();
  await lab.restart();
  const next = lab.client();
  await next.call("session.open", { sessionId: id, context: contextOf(lab) });
  await next.turn(id, "read on");
  expect(lastRequest()).toContain("QUARTZ");
  await next.call("session.clear", { sessionId: id, commandId: "clear-1" });
  await next.turn(id, "and now");
  expect(lastRequest()).toContain("tool_result");
  expect(lastRequest()).not.toContain("QUARTZ");
  next.close();
});

it("a fork takes the checklist along, a cleared session has none, and both tell their clients", async () => {
  const { lab } = await open([todo, { text: "a" }]);
  const client = lab.client();
  const id = await client.session();
  await client.turn(id, "go");
  const todosOf = async (sessionId: string) =>
    (await client.call("session.open", { sessionId, context: contextOf(lab) })).snapshot.todos;
  const items = todo.calls[0]?.input.items;
  expect(await todosOf(id)).toEqual(items);
  const { session } = await client.call("session.fork", { sessionId: id, context: contextOf(lab) });
  expect(await todosOf(session.id)).toEqual(items);
  await client.call("session.clear", { sessionId: id, commandId: "clear-1" });
  expect(await todosOf(id)).toBeUndefined();
  client.close();
});

it("a session whose folder is gone can still be looked at", async () => {
  const { lab } = await open([{ text: "a" }]);
  const client = lab.client();
  const id = await client.session();
  await client.turn(id, "go");
  client.close();
  await lab.restart();
  rmSync(lab.cwd, { recursive: true });
  const next = lab.client();
  const { snapshot } = await next.call("session.open", { sessionId: id, context: contextOf(lab) });
  expect(snapshot.skills).toEqual([{ name: "greet", description: "Greets." }]);
  next.close();
});

function contextOf({ model }: DaemonLab) {
  return {
    environment: { PATH: process.env.PATH ?? "/usr/bin:/bin", ANTHROPIC_BASE_URL: model.url },
    credentials: { ANTHROPIC_API_KEY: "lab-key" },
  };
}
