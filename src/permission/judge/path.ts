import type { PermissionDecision, ResolvedAction, Rule } from "../../protocol/permission.ts";
import { pathMatches } from "../paths/glob.ts";
import { protectedName, secretPattern } from "../paths/guarded.ts";
import { below, isWithin, parentOf } from "../paths/lexical.ts";
import type { DecideRequest } from "../request.ts";
import {
  allowed,
  asked,
  denied,
  deniedByMode,
  deniedByRule,
  isOwn,
  isReadable,
  type JudgeContext,
  ruleText,
  speaksOf,
  suggestion,
} from "./context.ts";

type PathAction = Extract<ResolvedAction, { type: "read_path" | "write_path" }>;

/** Decides about one file that a tool would read or write, by its path as given and as resolved. */
export function judgePath(action: PathAction, context: JudgeContext): PermissionDecision {
  const { request } = context;
  const writes = action.type === "write_path";
  const family = writes ? "edit" : "read";
  const paths = [action.realPath, action.path];
  const what = `${writes ? "writing" : "reading"} ${action.path}`;
  if (paths.some((path) => path.includes("\0"))) return denied("invalid", "The path holds a NUL character.");

  const denyRule = findPathRule(context.deny, family, paths, context);
  if (denyRule) return deniedByRule(denyRule, what);
  const secret = findSecret(paths, context);
  if (secret) return deniedAsSecret(action.path, secret);
  if (writes && request.mode === "read-only") return deniedByMode(what);
  const name = writes ? findProtected(paths, context) : null;
  if (name) return askProtected(what, name, [what]);
  const askRule = findPathRule(context.ask, family, paths, context);
  if (askRule) {
    return asked("ask_rule", `the rule ${ruleText(askRule)} asks for it`, { rule: askRule, parts: [what] });
  }
  const allow = context.allow.find(({ rule }) => coversPath(rule, family, action.realPath, context));
  if (allow)
    return allowed(allow.layer, `allowed by the rule ${ruleText(allow.rule)}`, "workspace-write", allow.rule);
  return writes ? writeByMode(action, what, context) : readByMode(action, what, context);
}

/** The first rule of the list that covers one of the paths. */
export function findPathRule(
  rules: readonly Rule[],
  family: "read" | "edit",
  paths: readonly string[],
  context: JudgeContext,
): Rule | undefined {
  return rules.find((rule) => {
    if (!speaksOf(rule, context.request, family)) return false;
    return (
      rule.match === undefined ||
      paths.some((path) => pathMatches(rule.match ?? "", path, context.request.place, true))
    );
  });
}

function coversPath(rule: Rule, family: "read" | "edit", path: string, context: JudgeContext): boolean {
  if (!speaksOf(rule, context.request, family)) return false;
  return rule.match === undefined || pathMatches(rule.match, path, context.request.place);
}

/** The pattern that makes one of the paths a secret. The private /tmp is the session's own, wherever it lies. */
export function findSecret(paths: readonly string[], { request }: JudgeContext): string | null {
  const { denyRead, allowRead = [], place } = request;
  const guard = { denyRead, allowRead, place: { ...place, cwd: place.roots[0] ?? place.cwd } };
  for (const path of outsideTmp(paths, request)) {
    const found = secretPattern(path, guard);
    if (found !== null) return found;
  }
  return null;
}

function outsideTmp(paths: readonly string[], { place }: DecideRequest): string[] {
  return paths.filter((path) => place.tmp === undefined || !isWithin(place.tmp, path));
}

export function deniedAsSecret(path: string, pattern: string): PermissionDecision {
  return denied(
    "secret",
    `${path} is kept secret (${pattern}): its content is out of reach for tools and commands.`,
    {
      wayOut:
        "Ask the user for the values that matter, or for a grant by name (`sandbox.allowRead` in the config); do not look for them elsewhere.",
    },
  );
}

/** The protected name that one of the paths falls under. */
export function findProtected(paths: readonly string[], { request }: JudgeContext): string | null {
  const roots = [...request.place.roots, request.place.home];
  for (const path of outsideTmp(paths, request)) {
    const found = protectedName(path, request.protectedNames, roots);
    if (found !== null) return found;
  }
  return null;
}

export function askProtected(what: string, name: string, parts: string[]): PermissionDecision {
  return asked(
    "protected_path",
    `${what} changes ${name}, which is protected because programs run what it says`,
    {
      parts,
      onceOnly: true,
    },
  );
}

function writeByMode(action: PathAction, what: string, context: JudgeContext): PermissionDecision {
  const { request } = context;
  const own = isOwn(action.realPath, request);
  if (request.mode === "bypass") return allowed("mode", "bypass mode lets it pass", "workspace-write");
  if (own && (request.mode === "accept-edits" || request.mode === "auto")) {
    return allowed("mode", `${request.mode} mode lets edits inside the project pass`, "workspace-write");
  }
  if (!own) {
    return asked("effect", `${action.realPath} lies outside the project`, {
      parts: [what],
      onceOnly: true,
      writesOutside: [action.realPath],
    });
  }
  return asked("effect", "edits are asked for", {
    parts: [what],
    suggestions: [suggestion("edit", editPattern(action.realPath, request.place.roots))],
  });
}

/** The directory below the root that holds the file, or the file itself at the top. */
function editPattern(path: string, roots: readonly string[]): string {
  for (const root of roots) {
    const inside = below(root, path);
    if (inside === null) continue;
    const folder = inside.includes("/") ? inside.slice(0, inside.indexOf("/")) : null;
    return folder === null ? `./${escapeGlob(inside)}` : `${escapeGlob(folder)}/**`;
  }
  return `/${escapeGlob(path)}`;
}

function readByMode(action: PathAction, what: string, context: JudgeContext): PermissionDecision {
  const { request } = context;
  if (isReadable(action.realPath, request))
    return allowed("effect", "reading inside the project passes", "read-only");
  if (request.mode === "bypass") return allowed("mode", "bypass mode lets it pass", "read-only");
  const folder = parentOf(action.realPath);
  return asked("effect", `${action.realPath} lies outside the project`, {
    profile: "read-only",
    parts: [what],
    suggestions: folder === "/" ? [] : [suggestion("read", `/${escapeGlob(folder)}/**`)],
  });
}

/** Path text as a pattern that means only itself. */
export function escapeGlob(text: string): string {
  return text.replace(/[[*?]/g, (character) => `[${character}]`);
}
