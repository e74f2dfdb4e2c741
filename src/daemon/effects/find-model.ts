import { type ModelResolution, resolveModel } from "../../model/resolve.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import { AppError } from "../../shared/error.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";

/** The model a session stands on, with the overrides of its config. */
export function findModel(id: string, runtime: SessionRuntime): ModelResolution {
  return resolveModel({
    requested: id,
    configured: runtime.settings.config.model,
    overrides: runtime.settings.config.models,
    environment: runtime.environment,
    credentials: runtime.credentials,
    promisedKeys: runtime.options.keyNames,
  });
}

/** The same, for a model that a client names: AppError `no_model` when there is none. */
export function requireModel(id: string, runtime: SessionRuntime): ModelRef {
  const found = findModel(id, runtime);
  if (!found.ok) throw new AppError("no_model", found.error);
  return found.value;
}
