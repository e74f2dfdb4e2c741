import { afterEach, expect, it } from "vitest";
import { type DaemonLab, openDaemonLab } from "../testing/daemon-lab.ts";

let lab: DaemonLab;
afterEach(() => lab.close());

const prefixes = (): string[] =>
  lab.model.requests.map((request) => {
    const { system, tools } = request.body as { system: unknown; tools: unknown };
    return JSON.stringify({ system, tools }, (key, value) => (key === "cache_control" ? undefined : value));
  });

it("is byte-stable over turns, changed files, restart and fork; /clear builds it anew", async () => {
  lab = await openDaemonLab(() => ({ text: "ok" }));
  lab.folders.write("AGENTS.md", "Rule one.\n");
  let client = lab.client();
  const id = await client.session();
  await client.turn(id, "one");
  lab.folders.write("AGENTS.md", "Rule two.\n");
  await client.turn(id, "two");
  await lab.restart();
  client = lab.client();
  const context = {
    environment: { ANTHROPIC_BASE_URL: lab.model.url },
    credentials: { ANTHROPIC_API_KEY: "k" },
  };
  await client.call("session.open", { sessionId: id, context });
  await client.turn(id, "three");
  const { session: fork } = await client.call("session.fork", { sessionId: id, context });
  await client.call("session.open", { sessionId: fork.id });
  await client.turn(fork.id, "four");
  const [first, ...rest] = prefixes();
  expect(first).toContain("Rule one.");
  expect(rest).toEqual([first, first, first]);

  await client.call("session.clear", { sessionId: id, commandId: "clear" });
  await lab.restart();
  client = lab.client();
  await client.call("session.open", { sessionId: id, context });
  await client.turn(id, "five");
  expect(prefixes().at(-1)).toContain("Rule two.");
  const body = lab.model.requests.at(-1)?.body as { messages: unknown[] };
  expect(body.messages).toHaveLength(1);
});
