import type { MethodName, Methods } from "../rpc.ts";
import type { Parsed } from "../tool.ts";
import { describeIssue, type Issue } from "./describe-issue.ts";
import { paramSchemas, type SchemasAgree } from "./methods.ts";

const agreement: SchemasAgree = true;

/** True for a method of this protocol. */
export function isMethod(method: string): method is MethodName {
  return agreement && Object.hasOwn(paramSchemas, method);
}

/** Names of all methods, in the order of docs/protocol.md. */
export function methodNames(): MethodName[] {
  return Object.keys(paramSchemas) as MethodName[];
}

type Checker = {
  safeParse(
    value: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: unknown[] } };
};

/**
 * Checks what arrived for a method. Absent params count as `{}`. The error names the parameter, what it
 * must be and what came instead; it never repeats a value (it could be a key).
 */
export function parseParams<M extends MethodName>(method: M, params: unknown): Parsed<Methods[M]["params"]> {
  const schema: Checker = paramSchemas[method];
  const given = params ?? {};
  const result = schema.safeParse(given);
  // The cast is what SchemasAgree proves.
  if (result.success) return { ok: true, value: result.data as Methods[M]["params"] };
  const issue = result.error.issues[0] as Issue;
  return { ok: false, error: `${method}: ${describeIssue(issue, given)}` };
}
