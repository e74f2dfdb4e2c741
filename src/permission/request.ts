import type { JsonObject } from "../protocol/ids.ts";
import type { Grant, PermissionMode, ResolvedAction, Rule, RuleScope } from "../protocol/permission.ts";
import type { ToolEffect } from "../protocol/tool.ts";

/** Everything a decision depends on. Paths are absolute and resolved. */
export type DecideRequest = {
  /** Canonical name. */
  tool: string;
  effect: ToolEffect;
  input: JsonObject;
  actions: readonly ResolvedAction[];
  rules: readonly Rule[];
  grants: readonly Grant[];
  mode: PermissionMode;
  /** `tmp` is the session's private temp directory, seen as /tmp by commands. */
  place: { cwd: string; roots: readonly string[]; home: string; tmp?: string };
  /** Allow rules of a project count only when its folder is trusted. */
  trusted: boolean;
  /** False when commands run bare, on the user's word. */
  sandboxed: boolean;
  protectedNames: readonly string[];
  /** gitignore-style patterns of what must not be read. */
  denyRead: readonly string[];
  /** Secrets the user granted by name; they win over `denyRead`. */
  allowRead?: readonly string[];
  /** Readable without a question though outside the roots. */
  readableRoots?: readonly string[];
  /** Parameters that the tool does not have. */
  unknownParameters?: readonly string[];
  /** The server and tool of an MCP call, and who configured the server. */
  mcp?: { server: string; tool: string; source: RuleScope };
  /** Follows the links of a path found in a command; absent = links are not followed. */
  resolvePath?: (path: string) => string;
};
