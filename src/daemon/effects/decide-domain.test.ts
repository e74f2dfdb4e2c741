import { afterEach, describe, expect, it } from "vitest";
import type { SpawnSpec } from "../../protocol/ports.ts";
import { type DaemonLab, openDaemonLab } from "../testing/daemon-lab.ts";

let lab: DaemonLab;
afterEach(() => lab.close());

type Verdict = { allow: boolean; reason: string };

/** A session whose every command asks for `domain` and notes what it was told. */
async function open(domain: string, network: boolean, commands = 1) {
  const verdicts: Verdict[] = [];
  const call = { name: "bash", input: { command: "curl x", allow_network: network } };
  const script = Array.from({ length: commands }, () => ({ calls: [call] }));
  lab = await openDaemonLab([...script, { text: "end" }], async (spec: SpawnSpec) => {
    const verdict = await spec.decideDomain?.({ domain, port: 443, command: spec.command });
    if (verdict) verdicts.push(verdict);
    return {};
  });
  return { client: lab.client(), verdicts };
}

const networkRows = async (id: string): Promise<string[]> =>
  (await lab.store.audit({ sessionId: id, limit: 50 }))
    .filter((row) => row.reason.includes(":443"))
    .map((row) => `${row.decision} ${row.layer} ${row.reason}`);

describe("a domain that no list decides", () => {
  it("is asked about once per command, and a lasting yes holds for the task", async () => {
    const { client, verdicts } = await open("new.example.com", true, 2);
    const id = await client.session({ mode: "bypass" });
    await client.call("session.update", { sessionId: id, commandId: "m", mode: "auto" });
    lab.folders.write(lab.folders.paths.configFile, '{"permissions": {"allow": ["Bash(curl *)"]}}');
    const turn = client.turn(id, "go", true);
    const approval = await client.answer(id, { type: "allow", scope: "task" });
    expect(approval).toMatchObject({ kind: "domain", parts: ["connect to new.example.com:443"] });
    await turn;
    expect(verdicts.map((verdict) => verdict.allow)).toEqual([true, true]);
    expect(client.facts.filter(({ fact }) => fact.type === "approval_requested")).toHaveLength(1);
    expect(await networkRows(id)).toMatchObject([
      expect.stringContaining("allow effect"),
      expect.stringContaining("allow grant"),
    ]);
  });

  it("is refused headless, and without allow_network, with the reason and a row", async () => {
    const { client, verdicts } = await open("new.example.com", false);
    lab.folders.write(lab.folders.paths.configFile, '{"permissions": {"allow": ["Bash(curl *)"]}}');
    const id = await client.session({ mode: "auto" });
    await client.turn(id, "go", true);
    expect(verdicts).toEqual([{ allow: false, reason: expect.stringContaining("allow_network") }]);
    expect(await networkRows(id)).toEqual([expect.stringContaining("deny effect new.example.com:443")]);
  });

  it("is refused headless", async () => {
    const { client, verdicts } = await open("new.example.com", true);
    lab.folders.write(lab.folders.paths.configFile, '{"permissions": {"allow": ["Bash(curl *)"]}}');
    await client.turn(await client.session({ mode: "auto" }), "go");
    expect(verdicts).toEqual([{ allow: false, reason: expect.stringContaining("nobody is there") }]);
  });

  it("passes in bypass mode and is logged; a private address and a denied domain never do", async () => {
    for (const [domain, allow] of [
      ["new.example.com", true],
      ["10.0.0.8", false],
      ["bad.example.com", false],
    ] as const) {
      const { client, verdicts } = await open(domain, true);
      lab.folders.write(
        lab.folders.paths.configFile,
        '{"permissions": {"deny": ["WebFetch(domain:bad.example.com)"]}}',
      );
      await client.turn(await client.session({ mode: "bypass" }), "go");
      expect([domain, verdicts.map((verdict) => verdict.allow)]).toEqual([domain, [allow]]);
      expect(lab.logged.some((line) => line.includes("bypass mode let a command reach"))).toBe(allow);
      if (domain !== "bad.example.com") await lab.close();
    }
  });

  it("a rule of the user's config decides without a question, and no is no", async () => {
    const { client, verdicts } = await open("ok.example.com", false);
    lab.folders.write(
      lab.folders.paths.configFile,
      '{"permissions": {"allow": ["Bash(curl *)", "WebFetch(domain:ok.example.com)"]}}',
    );
    await client.turn(await client.session({ mode: "auto" }), "go");
    expect(verdicts.map((verdict) => verdict.allow)).toEqual([true]);
  });
});
