import fc from "fast-check";
import { expect, it } from "vitest";
import type { PermissionDecision } from "../protocol/permission.ts";
import { buildPolicy, judgeRead, judgeWrite, type Verdict } from "../sandbox/policy.ts";
import { decide } from "./decide.ts";
import { globExpression } from "./paths/glob.ts";
import { read, write } from "./test-support/request.ts";

/** The file guard of the sandbox and the permission layer read one policy: they must give one answer. */
const policy = buildPolicy({
  mode: "workspace-write",
  writableRoots: ["/w", "/w2"],
  readableRoots: ["/lib"],
  home: "/h",
  tmpDir: "/t",
  privateDirs: ["/h/.local/state/lathe"],
  denyRead: ["private/**"],
  allowRead: ["/w/granted/.env"],
});
const known = {
  place: { cwd: "/w/sub", roots: policy.writableRoots, home: policy.home, tmp: policy.tmpDir },
  protectedNames: policy.protectedNames,
  denyRead: policy.denyRead,
  allowRead: policy.allowRead,
  readableRoots: policy.readableRoots,
};

function kindOf(decision: PermissionDecision): string {
  if (decision.type === "allow") return "allowed";
  if (decision.layer === "secret") return "secret";
  return decision.layer === "protected_path" ? "protected" : "outside_roots";
}
const kindOfVerdict = (verdict: Verdict): string => (verdict.allowed ? "allowed" : verdict.why);

const names = [
  ".git",
  "hooks",
  "config",
  "modules",
  "x",
  "worktrees",
  "commondir",
  ".GIT",
  ".bashrc",
  ".config",
  "git",
  "fish",
  "conf.d",
  ".lathe",
  ".claude",
  "settings.json",
  "commands",
  ".env",
  ".env.local",
  ".env.example",
  ".ENV",
  "private",
  "granted",
  "id_rsa",
  "key.pem",
  "cert.pem",
  "node_modules",
  "src",
  "a.ts",
  ".ssh",
  ".vscode",
  ".mcp.json",
  ".gitconfig",
  ".github",
  "sub",
];
const path = fc
  .tuple(
    fc.constantFrom("/w", "/w2", "/lib", "/x", "/wx"),
    fc.array(fc.constantFrom(...names), { maxLength: 5 }),
  )
  .map(([root, parts]) => [root, ...parts].join("/"));

it("any pattern can be compiled", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(..."[]!^-az.*?/\\{}()$|+é😀"), { maxLength: 12 }), (letters) => {
      globExpression(letters.join(""), true);
    }),
    { numRuns: 3000 },
  );
  expect(globExpression("[a-c]?/[!x]*.ts", false).test("b1/yz.ts")).toBe(true);
  expect(globExpression("[z-a]", false).test("b")).toBe(false);
});

it("reading and writing a path get the same answer from both", () => {
  fc.assert(
    fc.property(path, (one) => {
      expect(kindOf(decide({ ...read(one, "auto"), ...known })), `read ${one}`).toBe(
        kindOfVerdict(judgeRead(policy, one)),
      );
      expect(kindOf(decide({ ...write(one, "auto"), ...known })), `write ${one}`).toBe(
        kindOfVerdict(judgeWrite(policy, one)),
      );
    }),
    { numRuns: 3000 },
  );
});
