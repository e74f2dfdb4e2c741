import * as z from "zod/mini";

const positive = z.number().check(z.positive());
const limit = z.nullable(z.number().check(z.nonnegative()));

const network = z.object({
  /** Domains, wildcards (`*.example.com`) and groups (`npm`, `pypi`, `crates`, `go`, `github`, `debian`). */
  allow: z.optional(z.array(z.string())),
  deny: z.optional(z.array(z.string())),
  /** Addresses for names of a development network. */
  hosts: z.optional(z.record(z.string(), z.string())),
  /** Private addresses that may be dialled. */
  privateAddresses: z.optional(z.array(z.string())),
});

const price = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.optional(z.number()),
  cacheWrite: z.optional(z.number()),
});

/** One settings file. Every key may be absent. Unknown keys are reported, not refused. */
export const configSchema = z.object({
  $schema: z.optional(z.string()),
  /** `provider/model`. */
  model: z.optional(z.string()),
  permissionMode: z.optional(z.string()),
  permissions: z.optional(
    z.object({
      allow: z.optional(z.array(z.string())),
      deny: z.optional(z.array(z.string())),
      ask: z.optional(z.array(z.string())),
      /** Folders that may be read without a question. */
      additionalDirectories: z.optional(z.array(z.string())),
    }),
  ),
  limits: z.optional(
    z.object({
      maxTurns: z.optional(limit),
      maxToolCalls: z.optional(limit),
      maxTokens: z.optional(limit),
      maxBudgetUsd: z.optional(limit),
      maxSeconds: z.optional(limit),
    }),
  ),
  models: z.optional(
    z.object({
      providers: z.optional(
        z.record(
          z.string(),
          z.object({
            baseUrl: z.optional(z.string()),
            wire: z.optional(z.enum(["anthropic", "openai-chat", "openai-responses"])),
            keyName: z.optional(z.string()),
            headers: z.optional(z.record(z.string(), z.string())),
          }),
        ),
      ),
      models: z.optional(
        z.record(
          z.string(),
          z.object({
            contextWindow: z.optional(positive),
            maxOutput: z.optional(positive),
            images: z.optional(z.boolean()),
            price: z.optional(z.nullable(price)),
          }),
        ),
      ),
    }),
  ),
  sandbox: z.optional(
    z.object({
      network: z.optional(network),
      /** Secrets granted by name, e.g. the `.env` of a dev server. */
      allowRead: z.optional(z.array(z.string())),
      denyRead: z.optional(z.array(z.string())),
      /** Host sockets granted by path. */
      allowSockets: z.optional(z.array(z.string())),
      limits: z.optional(
        z.object({
          memoryMb: z.optional(limit),
          processes: z.optional(limit),
          tmpMb: z.optional(limit),
          outputBytes: z.optional(positive),
        }),
      ),
    }),
  ),
  tools: z.optional(
    z.object({
      commandTimeoutSec: z.optional(positive),
      commandTimeoutMaxSec: z.optional(positive),
      outputLimit: z.optional(positive),
    }),
  ),
  context: z.optional(
    z.object({
      /** Share of the model's window at which older parts of the conversation are compacted. */
      compactAt: z.optional(z.number().check(z.gt(0), z.lte(1))),
    }),
  ),
  /** Which of two skills with one name is offered: the project's (of a trusted folder) or the user's. */
  skillPrecedence: z.optional(z.enum(["project-first", "user-first"])),
  /** Variables for commands. */
  env: z.optional(z.record(z.string(), z.string())),
  daemon: z.optional(z.object({ idleMinutes: z.optional(limit) })),
});

/** A checked settings file. */
export type ConfigFile = z.infer<typeof configSchema>;
