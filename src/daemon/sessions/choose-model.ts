import { describeLocalServers, findLocalServers } from "../../model/local.ts";
import type { ModelQuestion } from "../../model/question.ts";
import { resolveModel } from "../../model/resolve.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import { AppError } from "../../shared/error.ts";

export type ChosenModel = { model: ModelRef; notice: string | null };

/**
 * The model of a new session. When nothing names one and no key suggests one, a server on this machine is looked
 * for, half a second at most. AppError `no_model` or `no_key`, in words that say what to set.
 */
export async function chooseModel(question: ModelQuestion): Promise<ChosenModel> {
  const found = resolveModel(question);
  if (found.ok) {
    requireKey(found.value, question.credentials);
    return { model: found.value, notice: null };
  }
  if (question.requested || question.configured) throw new AppError("no_model", found.error);
  const servers = await findLocalServers(AbortSignal.timeout(500));
  const usable = servers.find((server) => server.models.length > 0);
  const requested = usable && `${usable.provider}/${usable.models[0]}`;
  const local = requested ? resolveModel({ ...question, requested }) : found;
  if (!local.ok) throw new AppError("no_model", `${found.error}\n${describeLocalServers(servers)}`);
  const notice = `no model key is set, so ${local.value.id} of this machine is used; --model names another`;
  return { model: local.value, notice };
}

/** AppError `no_key`, naming the variables that would do, when the model needs a key that is not at hand. */
export function requireKey(model: ModelRef, credentials: Record<string, string>): void {
  if (model.keyNames.length === 0 || model.keyNames.some((name) => credentials[name])) return;
  const exports = model.keyNames.map((name) => `export ${name}=...`).join("  or  ");
  throw new AppError(
    "no_key",
    `${model.id} needs a key: ${exports}; or name a model of another provider with --model`,
  );
}
