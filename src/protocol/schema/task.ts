import * as z from "zod/mini";

const MAX_ID = 2_147_483_647;
const MAX_TEXT = 100_000;
const MAX_EDGES = 10_000;

export const taskId = z.int().check(z.minimum(1), z.maximum(MAX_ID));

const edges = z.array(taskId).check(z.maxLength(MAX_EDGES));

/** One task as an exported file holds it. */
export const taskSchema = z.strictObject({
  id: taskId,
  subject: z.string().check(z.regex(/\S/, "must not be blank"), z.maxLength(MAX_TEXT)),
  description: z.string().check(z.maxLength(MAX_TEXT)),
  status: z.enum(["pending", "in_progress", "completed"]),
  blockedBy: edges,
  blocks: edges,
  owner: z.string().check(z.maxLength(MAX_TEXT)),
});
