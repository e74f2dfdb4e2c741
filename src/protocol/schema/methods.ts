import * as z from "zod/mini";
import type { MethodName, Methods } from "../rpc.ts";
import {
  approvalAnswer,
  clientContext,
  count,
  id,
  jsonObject,
  limit,
  limits,
  mode,
  name,
  path,
  promptPart,
  rule,
  sessionOptions,
  sha256,
  stringMap,
  text,
  uuid,
} from "./parts.ts";
import { taskId } from "./task.ts";

const bySession = z.strictObject({ sessionId: id });

/**
 * What each method accepts. An unknown parameter is refused, so that nothing a client asked for is silently
 * ignored by an older daemon; `initialize` alone is lenient, because it is how versions meet.
 */
export const paramSchemas = {
  initialize: z.object({
    protocolVersion: count,
    client: z.object({ name, version: name, id: z.optional(id) }),
  }),
  "session.create": z.strictObject({
    cwd: path,
    addDirs: z.optional(z.array(path)),
    model: z.optional(name),
    mode: z.optional(mode),
    title: z.optional(text),
    sessionId: z.optional(uuid),
    options: sessionOptions,
    context: clientContext,
  }),
  "session.open": z.strictObject({
    sessionId: id,
    afterSeq: z.optional(count),
    history: z.optional(count),
    context: z.optional(clientContext),
    deltas: z.optional(z.boolean()),
  }),
  "session.close": bySession,
  "session.prompt": z.strictObject({
    sessionId: id,
    commandId: id,
    content: z.array(promptPart).check(z.minLength(1)),
    delivery: z.optional(z.enum(["steer", "queue"])),
    interactive: z.boolean(),
    boundToClient: z.boolean(),
    limits: z.optional(limits),
  }),
  "session.unqueue": z.strictObject({ sessionId: id, commandId: id, promptId: id }),
  "session.interrupt": z.strictObject({
    sessionId: id,
    commandId: id,
    by: z.enum(["user", "terminated"]),
  }),
  "session.answer": z.strictObject({
    sessionId: id,
    commandId: id,
    approvalId: id,
    answer: approvalAnswer,
  }),
  "session.update": z.strictObject({
    sessionId: id,
    commandId: id,
    model: z.optional(name),
    mode: z.optional(mode),
    title: z.optional(text),
    allowedTools: z.optional(z.array(text)),
    disallowedTools: z.optional(z.array(text)),
  }),
  "session.clear": z.strictObject({ sessionId: id, commandId: id }),
  "session.compact": z.strictObject({ sessionId: id, commandId: id, focus: z.optional(z.string()) }),
  "session.context": bySession,
  "session.fork": z.strictObject({ sessionId: id, at: z.optional(id), context: z.optional(clientContext) }),
  "session.list": z.strictObject({
    cwd: z.optional(path),
    search: z.optional(z.string()),
    limit: z.optional(limit),
    before: z.optional(count),
  }),
  "session.facts": z.strictObject({
    sessionId: id,
    afterSeq: z.optional(count),
    beforeSeq: z.optional(count),
    limit: z.optional(limit),
  }),
  "session.audit": z.strictObject({ sessionId: id, limit: z.optional(limit) }),
  "session.delete": bySession,
  "session.export": bySession,
  "blob.read": z.strictObject({ hash: sha256, offset: z.optional(count), length: z.optional(count) }),
  "permission.test": z.strictObject({
    cwd: path,
    tool: name,
    input: jsonObject,
    mode: z.optional(mode),
    rules: z.optional(z.array(rule)),
    trusted: z.optional(z.boolean()),
    home: z.optional(path),
  }),
  "permission.list": z.strictObject({ cwd: path }),
  "trust.set": z.strictObject({ path, trusted: z.boolean() }),
  "sandbox.run": z.strictObject({
    command: text,
    cwd: path,
    policy: jsonObject,
    environment: stringMap,
    timeoutMs: z.optional(count),
  }),
  "tasks.list": z.strictObject({ cwd: path }),
  "tasks.import": z.strictObject({
    cwd: path,
    files: z.array(z.strictObject({ name, text })),
    replace: z.boolean(),
  }),
  "tasks.delete": z.strictObject({ cwd: path, id: taskId }),
  "daemon.status": z.strictObject({}),
  "daemon.doctor": z.strictObject({ cwd: path, context: clientContext }),
  "daemon.stop": z.strictObject({ force: z.optional(z.boolean()) }),
  "models.list": z.strictObject({ cwd: path, context: clientContext }),
};

type Schemas = typeof paramSchemas;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Agreement = {
  [M in MethodName | keyof Schemas]: M extends MethodName & keyof Schemas
    ? Same<z.output<Schemas[M]>, Methods[M]["params"]>
    : false;
};
type AllTrue = { [M in keyof Agreement]: true };

/**
 * Does not compile when a schema and the type of its method differ, or when one of the two is missing; the
 * error names the method. (Use: `const agreement: SchemasAgree = true`.)
 */
export type SchemasAgree = Agreement extends AllTrue ? true : Agreement;
