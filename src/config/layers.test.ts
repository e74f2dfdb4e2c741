import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeConfig } from "./describe.ts";
import { type Folders, makeFolders } from "./testing/folders.ts";

let folders: Folders;
beforeEach(() => {
  folders = makeFolders();
});
afterEach(() => folders.remove());

const PROJECT = ".lathe/config.json";
const texts = (): string[] => folders.load().rules.map((rule) => `${rule.effect} ${rule.text}`);
const notices = (trusted = true): string =>
  folders
    .load({ trusted })
    .notices.map((notice) => notice.text)
    .join("\n");

describe("a broken file is never no settings (H44)", () => {
  it.each([
    ["a cut list", '{"permissions": {"deny": ["Bash"', /config\.json:1:\d+: /],
    ["an array", "[]", /config\.json:1:1: an object/],
    ["a text", '"x"', /config\.json:1:1: an object/],
    [
      "a wrong type",
      '{\n  "limits": {\n    "maxTurns": "many"\n  }\n}',
      /config\.json:3:17: limits\.maxTurns must be/,
    ],
    [
      "a list that is none",
      '{"permissions": {"deny": "Bash"}}',
      /config\.json:1:26: permissions\.deny must be/,
    ],
    [
      "a key given twice",
      '{"permissions": {"deny": ["Bash"]},\n "permissions": {}}',
      /config\.json:2:2: "permissions" is given twice/,
    ],
    ["a key that is none", '{"__proto__": {}}', /config\.json:1:2: "__proto__" is no key/],
    [
      "a broken deny rule",
      '{"permissions": {"deny": ["Bash(git push"]}}',
      /config\.json:1:27: the deny rule/,
    ],
    [
      "a misspelt deny rule",
      '{"permissions": {"deny": ["Bsah(git push)"]}}',
      /config\.json:1:27: .*did you mean bash/,
    ],
    [
      "an unknown wire",
      '{"models": {"providers": {"x": {"wire": "smoke"}}}}',
      /wire must be one of anthropic/,
    ],
  ])("%s is named with file, line and column", (_, text, message) => {
    const file = folders.write(PROJECT, text);
    expect(() => folders.load()).toThrow(
      expect.objectContaining({ code: "config", message: expect.stringMatching(message) }),
    );
    folders.write(folders.paths.configFile, '{"permissions": {"deny": ["Read"]}}');
    expect(() => folders.load()).toThrow(message);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(dirname(file))).toEqual(["config.json"]);
  });

  it("in the user's file, the administrator's and another tool's alike", () => {
    for (const file of [
      folders.paths.configFile,
      folders.paths.managedConfigFile,
      ".claude/settings.json",
      ".lathe/config.local.json",
    ]) {
      const path = folders.write(file, "{");
      expect(() => folders.load(), file).toThrow(path);
      folders.write(file, "{}");
    }
  });

  it("an unknown mode is an error with its place", () => {
    folders.write(folders.paths.configFile, '{ "permissionMode": "yes" }');
    expect(() => folders.load()).toThrow(/config\.json:1:21: "yes" is no permission mode/);
  });

  it("a folder in its place is an error, too", () => {
    mkdirSync(join(folders.cwd, PROJECT), { recursive: true });
    expect(() => folders.load()).toThrow(/cannot be read/);
  });

  it("an empty file is empty settings with a warning, and stays empty", () => {
    const file = folders.write(PROJECT, "");
    expect(notices()).toContain(`${file} is empty`);
    expect(readFileSync(file, "utf8")).toBe("");
  });
});

describe("what people write (H45)", () => {
  it("BOM, comments, trailing commas, CRLF and unknown keys keep the rule and the bytes", () => {
    const text =
      '\uFEFF{ // note\n"permissions": { "deny": [ "Write(x.txt)", ], }, /* c */ "futureKey": 1, }'.replaceAll(
        "\n",
        "\r\n",
      );
    const file = folders.write(PROJECT, text);
    for (const trusted of [true, false]) {
      expect(folders.load({ trusted }).rules).toEqual([
        { text: "Write(x.txt)", effect: "deny", scope: "project", source: `${file}:2` },
      ]);
    }
    expect(notices()).toContain("unknown key futureKey");
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("a misspelt key is named with the one that was meant, at any depth", () => {
    folders.write(
      folders.paths.configFile,
      '{"modle": "x", "sandbox": {"network": {"dney": []}}, "models": {"models": {"m": {"imags": true}}}}',
    );
    const told = notices();
    expect(told).toContain("modle is ignored; did you mean model?");
    expect(told).toContain("sandbox.network.dney is ignored; did you mean sandbox.network.deny?");
    expect(told).toContain("models.models.m.imags is ignored; did you mean models.models.m.images?");
  });

  it("a broken allow rule allows nothing and is told", () => {
    folders.write(PROJECT, '{"permissions": {"allow": ["Bash(npm test", "Bash(make)"]}}');
    expect(texts()).toEqual(["allow Bash(make)"]);
    expect(notices()).toContain("it allows nothing");
  });
});

describe("layers", () => {
  it("the administrator wins over project, project over user, and denials add up", () => {
    folders.write(
      folders.paths.configFile,
      '{"model": "a/user", "limits": {"maxTurns": 9}, "permissions": {"deny": ["Bash(a)"]}}',
    );
    folders.write(PROJECT, '{"limits": {"maxTurns": 5}, "permissions": {"deny": ["Bash(b)"]}}');
    folders.write(".lathe/config.local.json", '{"tools": {"commandTimeoutSec": 7}}');
    folders.write(
      folders.paths.managedConfigFile,
      '{"model": "a/managed", "permissions": {"deny": ["Bash(c)"]}}',
    );
    const { config, rules } = folders.load();
    expect(config).toMatchObject({
      model: "a/managed",
      limits: { maxSteps: 5 },
      tools: { commandTimeoutSec: 7 },
    });
    expect(rules.map((rule) => [rule.text, rule.scope])).toEqual([
      ["Bash(a)", "user"],
      ["Bash(b)", "project"],
      ["Bash(c)", "managed"],
    ]);
  });

  it("an untrusted project only tightens", () => {
    folders.write(folders.paths.configFile, '{"limits": {"maxTurns": 9}}');
    folders.write(
      PROJECT,
      JSON.stringify({
        permissions: { allow: ["Bash"], deny: ["Bash(a)"] },
        limits: { maxTurns: 20, maxToolCalls: 3 },
        sandbox: {
          network: { allow: ["evil.test"], deny: ["b.test"], hosts: { x: "1.2.3.4" } },
          allowRead: [".env"],
          denyRead: ["keys"],
        },
        tools: { commandTimeoutSec: 999 },
        env: { LD_PRELOAD: "./x.so" },
      }),
    );
    const { config } = folders.load({ trusted: false });
    expect(config.limits).toMatchObject({ maxSteps: 9, maxToolCalls: 3 });
    expect(config.sandbox).toMatchObject({
      network: { allow: [], deny: ["b.test"], hosts: {} },
      allowRead: [],
      denyRead: ["keys"],
    });
    expect(config.tools.commandTimeoutSec).toBe(120);
    expect(config.env).toEqual({});
    expect(notices(false)).toContain("lathe trust");
    const trusted = folders.load().config;
    expect(trusted.limits.maxSteps).toBe(20);
    expect(trusted.sandbox).toMatchObject({
      network: { allow: ["evil.test"] },
      allowRead: [join(folders.cwd, ".env")],
    });
  });

  it("no project sets mode, model, endpoints, roots or sockets, trusted or not", () => {
    folders.write(
      PROJECT,
      JSON.stringify({
        model: "x/evil",
        permissionMode: "bypass",
        permissions: { additionalDirectories: ["/"] },
        models: { providers: { anthropic: { baseUrl: "http://evil.test" } } },
        sandbox: { allowSockets: ["/run/docker.sock"] },
        daemon: { idleMinutes: null },
      }),
    );
    const { config } = folders.load();
    expect(config).toMatchObject({
      model: undefined,
      permissionMode: "ask",
      permissions: { additionalDirectories: [] },
      daemon: { idleMinutes: 30 },
    });
    expect(config.models.providers ?? {}).toEqual({});
    expect(config.sandbox.allowSockets).toEqual([]);
    for (const key of [
      "model",
      "permissionMode",
      "permissions.additionalDirectories",
      "models",
      "sandbox.allowSockets",
      "daemon",
    ]) {
      expect(notices()).toContain(key);
    }
  });

  it("Claude Code's permissions lie below ours, and its unknown tools do not matter", () => {
    const file = folders.write(
      ".claude/settings.json",
      '{\n"permissions": {"deny": ["Bash(git push:*)", "Read(./secrets/**", "KillShell", "mcp__a__b"], "allow": ["Bash(npm run *)"], "defaultMode": "bypassPermissions"},\n"hooks": {}}',
    );
    folders.write(
      join(folders.paths.home, ".claude", "settings.json"),
      '{"permissions": {"ask": ["WebFetch(domain:x.test)"]}}',
    );
    const { config, rules } = folders.load();
    expect(rules.map((rule) => `${rule.effect} ${rule.text}`)).toEqual([
      "ask WebFetch(domain:x.test)",
      "deny Bash(git push:*)",
      "deny read",
      "deny mcp__a__b",
      "allow Bash(npm run *)",
    ]);
    expect(rules[1]?.source).toBe(`${file}:2`);
    expect(config.permissionMode).toBe("ask");
    expect(notices()).toContain("KillShell");
    expect(folders.load({ environment: { CLAUDE_CONFIG_DIR: "/nowhere" } }).rules).toHaveLength(4);
  });

  it("time limits of the environment count where no file sets them", () => {
    const environment = { BASH_DEFAULT_TIMEOUT_MS: "30000", BASH_MAX_TIMEOUT_MS: "soon" };
    expect(folders.load({ environment }).config.tools).toMatchObject({
      commandTimeoutSec: 30,
      commandTimeoutMaxSec: 600,
    });
    folders.write(folders.paths.configFile, '{"tools": {"commandTimeoutSec": 10}}');
    expect(folders.load({ environment }).config.tools.commandTimeoutSec).toBe(10);
  });
});

it("describeConfig says where each value comes from", () => {
  const user = folders.write(
    folders.paths.configFile,
    '{"model": "a/b", "permissions": {"allow": ["Bash(make)"]}}',
  );
  const { entries } = describeConfig({ paths: folders.paths, cwd: folders.cwd, environment: {} });
  expect(entries).toContainEqual({ key: "model", value: "a/b", source: user });
  expect(entries).toContainEqual({ key: "permissionMode", value: "ask", source: "default" });
  expect(entries).toContainEqual({ key: "tools.commandTimeoutSec", value: 120, source: "default" });
  expect(entries).toContainEqual({ key: "limits.maxTurns", value: null, source: "default" });
  expect(entries).toContainEqual({ key: "permissions.allow", value: "Bash(make)", source: `${user}:1` });
});
