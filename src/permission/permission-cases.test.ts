import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../protocol/ids.ts";
import type { PermissionMode, ResolvedAction, Rule, RuleEffect, RuleScope } from "../protocol/permission.ts";
import { decide } from "./decide.ts";
import { request } from "./test-support/request.ts";

type Case = {
  id: string;
  rules: { effect: RuleEffect; tool: string; match?: string; scope?: RuleScope }[];
  mode: string;
  tool: string;
  args: JsonObject;
  expect: string | string[];
  trusted?: boolean;
  fs?: [string, string, string?][];
};

const { cases } = JSON.parse(readFileSync(new URL("./permission-cases.json", import.meta.url), "utf8")) as {
  cases: Case[];
};
const MODES: Record<string, PermissionMode> = { plan: "read-only", default: "ask", full: "bypass" };
const TOOLS: Record<string, string> = {
  Shell: "bash",
  Read: "read",
  Edit: "edit",
  Fetch: "fetch",
  Mcp: "mcp",
};

let base = "";
const place = () => ({ cwd: join(base, "w"), roots: [join(base, "w")], home: join(base, "h") });
/** The cases name /w and /h; here they are real directories. */
const moved = (text: string): string =>
  text
    .replace(/(^|[\s"'=])\/(w|h)(?=\/|$)/g, (_, before: string, name: string) => `${before}${base}/${name}`)
    .replaceAll(".agent", ".lathe");

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-permission-")));
  for (const name of ["w", "h"]) mkdirSync(join(base, name));
});
afterAll(() => rmSync(base, { recursive: true }));

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(dirname(path).length + 1));
  }
}

function prepare(one: Case): void {
  for (const [kind, path, target] of one.fs ?? []) {
    mkdirSync(dirname(moved(path)), { recursive: true });
    if (kind === "link") symlinkSync(moved(target ?? ""), moved(path));
    else writeFileSync(moved(path), "x");
  }
}

function actionsOf(one: Case): ResolvedAction[] {
  const path = resolve(place().cwd, moved(String(one.args.path)));
  switch (one.tool) {
    case "Shell":
      return [
        {
          type: "run_command",
          command: moved(String(one.args.command)),
          cwd: place().cwd,
          network: false,
          unsandboxed: false,
        },
      ];
    case "Read":
      return [{ type: "read_path", path, realPath: realPath(path) }];
    case "Edit":
      return [{ type: "write_path", path, realPath: realPath(path), change: "edit" }];
    case "Fetch":
      return [{ type: "fetch_url", url: String(one.args.url) }];
    default:
      return [];
  }
}

describe("the permission cases", () => {
  it("are all there", () => expect(cases.length).toBe(72));

  it.each(cases)("$id", (one) => {
    prepare(one);
    const rules: Rule[] = one.rules.map((given) => ({
      effect: given.effect,
      tool: TOOLS[given.tool] ?? given.tool,
      match: given.match === undefined ? undefined : moved(given.match),
      scope: given.scope ?? "user",
      source: "cases:1",
    }));
    const tool =
      { Shell: "bash", Read: "read_file", Edit: "edit_file", Fetch: "web_fetch", Mcp: "mcp_call" }[
        one.tool
      ] ?? "";
    const decision = decide(
      request(tool, one.args, actionsOf(one), {
        rules,
        mode: MODES[one.mode] ?? (one.mode as PermissionMode),
        place: place(),
        trusted: one.trusted ?? true,
        sandboxed: one.mode !== "full",
        resolvePath: realPath,
        mcp:
          one.tool === "Mcp"
            ? {
                server: String(one.args.server),
                tool: String(one.args.tool),
                source: one.args.serverSource === "project" ? "project" : "user",
              }
            : undefined,
      }),
    );
    expect([one.expect].flat(), JSON.stringify(decision)).toContain(decision.type);
  });
});
