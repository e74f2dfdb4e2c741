import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PermissionDecision } from "../../src/protocol/permission.ts";
import { type Lab, openLab } from "../support/lab.ts";
import {
  callOf,
  familyOf,
  inLab,
  modeOf,
  type PermissionCase,
  permissionCases,
  placeFiles,
  ruleTexts,
} from "../support/permission-cases.ts";
import { openPerson, type Person } from "../support/person.ts";

// MCP servers have no tool of their own yet; their cases are held in src/permission.
const cases = permissionCases.filter(({ tool }) => tool !== "Mcp");
/** The first cases of every kind that rules of the user alone decide. */
const sample = [...new Set(cases.map(({ kind }) => kind))].flatMap((kind) =>
  cases
    .filter((one) => one.kind === kind && one.trusted === undefined && one.rules.every((rule) => !rule.scope))
    .slice(0, 3),
);

let lab: Lab;
let person: Person;
let wanted: { name: string; input: object } | null = null;
beforeAll(async () => {
  lab = await openLab((request) => {
    const last = JSON.stringify(request.body).includes("tool_result") ? null : wanted;
    return last ? { calls: [last as never] } : { text: "done" };
  });
  person = await openPerson(lab);
});
afterAll(async () => {
  person.wire.end();
  await lab.close();
});

async function decided(one: PermissionCase): Promise<PermissionDecision> {
  const remove = placeFiles(lab, one);
  const { name, input } = callOf(lab, one);
  const { decision } = await person.wire.call<{ decision: PermissionDecision }>("permission.test", {
    cwd: lab.work,
    tool: name,
    input,
    mode: modeOf(one),
    trusted: one.trusted ?? true,
    rules: one.rules.map((rule) => ({
      effect: rule.effect,
      tool: familyOf(rule.tool),
      match: rule.match === undefined ? undefined : inLab(lab, rule.match),
      scope: rule.scope ?? "user",
      source: "cases:1",
    })),
  });
  remove();
  return decision;
}

const config = (): string => join(lab.home, ".config/lathe/config.json");
const rulesFor = (one: PermissionCase, effect: string): string[] =>
  ruleTexts(lab, one).flatMap((text) =>
    text.startsWith(`${effect} `) ? [text.slice(effect.length + 1)] : [],
  );

describe("lathe permissions test", () => {
  it("is asked about 69 cases and a sample of every kind", () => {
    expect(cases).toHaveLength(69);
    expect(new Set(sample.map(({ kind }) => kind)).size).toBe(new Set(cases.map(({ kind }) => kind)).size);
  });

  it.each(cases)("decides $id as it must, by the daemon", async (one) => {
    const decision = await decided(one);
    expect([one.expect].flat(), JSON.stringify(decision)).toContain(decision.type);
  });

  it("says the same as a command, with layer, rule, file and line, and sandbox profile", async () => {
    const rules = join(lab.work, "rules.json");
    for (const one of sample.filter((_, index) => index % 2 === 0)) {
      const remove = placeFiles(lab, one);
      const { name, input } = callOf(lab, one);
      const texts = ruleTexts(lab, one);
      writeFileSync(rules, JSON.stringify(texts, null, 2));
      const words = ["permissions", "test", name, JSON.stringify(input), "--mode", one.mode];
      const run = await lab.run([...words, "--rules", "rules.json"]);
      remove();
      const { type, layer, rule } = await decided(one);
      expect(run.stdout.split(" ", 1), one.id).toEqual([type]);
      expect(run.stdout).toContain(`(${layer.replaceAll("_", " ")}):`);
      if (rule) expect(run.stdout).toMatch(/^rule: .*, rules\.json:\d+$/m);
      if (type !== "deny") expect(run.stdout).toMatch(/^sandbox profile: (read-only|workspace-write)$/m);
    }
    rmSync(rules);
  });

  it.each(sample.filter(({ tool }) => tool !== "Fetch"))("and a real turn agree about $id", async (one) => {
    const { type } = await decided(one);
    mkdirSync(join(lab.home, ".config/lathe"), { recursive: true });
    const permissions = Object.fromEntries(
      ["allow", "ask", "deny"].map((effect) => [effect, rulesFor(one, effect)]),
    );
    writeFileSync(config(), JSON.stringify({ permissions }));
    const remove = placeFiles(lab, one);
    wanted = callOf(lab, one);
    const told = await person.prompt({ mode: modeOf(one), answer: () => ({ type: "deny" }) });
    wanted = null;
    remove();
    rmSync(config());
    const [result] = told.results;
    const seen = told.asked[0]?.kind === "tool" ? "ask" : result?.status === "denied" ? "deny" : "allow";
    expect(seen, JSON.stringify(told)).toBe(type);
  });
});

describe("answers", () => {
  const command = "mkdir -p made && echo x";
  const ask = async (answer: "once" | "task" | "project" | "everywhere" | "deny", sessionId?: string) => {
    wanted = { name: "bash", input: { command } };
    const told = await person.prompt({
      mode: "ask",
      sessionId,
      answer: () => (answer === "deny" ? { type: "deny" } : { type: "allow", scope: answer }),
    });
    wanted = null;
    return told;
  };

  it("hold once, for the task, the project or everywhere, and not at all", async () => {
    const no = await ask("deny");
    expect(no.asked).toHaveLength(1);
    expect(no.asked[0]?.words).toHaveLength(no.asked[0]?.suggestions.length ?? -1);
    expect(no.asked[0]?.words?.join()).toContain("Allow ");
    expect(no.results[0]?.status).toBe("denied");
    expect(existsSync(join(lab.work, "made"))).toBe(false);
    expect((await ask("once")).results[0]?.status).toBe("ok");
    expect((await ask("task")).asked).toHaveLength(1);
    expect((await ask("project")).asked).toHaveLength(1);
    const file = join(lab.home, ".config/lathe/project-rules.json");
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toEqual([lab.work]);
    const after = await ask("deny");
    expect(after.asked).toHaveLength(0);
    expect(after.results[0]?.status).toBe("ok");
    const listed = await lab.run(["permissions", "list"]);
    expect(listed.stdout).toContain(`${file}:`);
    const elsewhere = await lab.run(["permissions", "list"], { cwd: lab.outside });
    expect(elsewhere.stdout).not.toContain("mkdir");
    rmSync(file);
    expect((await ask("everywhere")).asked).toHaveLength(1);
    expect((await ask("deny")).asked).toHaveLength(0);
    expect((await lab.run(["permissions", "list"], { cwd: lab.outside })).stdout).toContain("mkdir");
    rmSync(config());
    expect((await ask("deny")).asked).toHaveLength(1);
  });

  it("take one answer only, and no made-up approval", async () => {
    wanted = { name: "bash", input: { command: "make once" } };
    const told = await person.prompt({ mode: "ask", answer: () => ({ type: "deny" }) });
    wanted = null;
    const [approval] = told.asked;
    const answer = (approvalId: string) =>
      person.wire.call<{ accepted: boolean }>("session.answer", {
        sessionId: told.sessionId,
        commandId: crypto.randomUUID(),
        approvalId,
        answer: { type: "allow", scope: "once" },
      });
    expect(await answer(approval?.id ?? "")).toEqual({ accepted: false });
    for (let at = 0; at < 50; at++) {
      const guess = await answer(crypto.randomUUID()).catch(() => ({ accepted: false }));
      expect(guess.accepted).toBe(false);
    }
    expect(approval?.binding).toMatch(/^[0-9a-f]{64}$/);
  });
});
