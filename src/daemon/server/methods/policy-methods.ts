import { modelChoices } from "../../../model/choices.ts";
import type { JsonObject } from "../../../protocol/ids.ts";
import { toolName } from "../../../protocol/rule-syntax.ts";
import type { Place, ToolDefinition } from "../../../protocol/tool.ts";
import { runWithPolicyFile } from "../../../sandbox/run-policy.ts";
import { AppError } from "../../../shared/error.ts";
import { findTool, toolNames } from "../../../tools/registry.ts";
import { commandEnvironment } from "../../effects/command-environment.ts";
import { FETCH } from "../../effects/decide-domain.ts";
import { decideFor, rulesInWords } from "../../effects/decide-for.ts";
import { resolveActions } from "../../effects/resolve-actions.ts";
import { realFolder } from "../../sessions/open-runtime.ts";
import { sessionPolicy } from "../../sessions/session-policy.ts";
import type { Handlers } from "../handlers.ts";
import type { MethodPorts } from "./method-ports.ts";

type PolicyMethods = Pick<Handlers, "permission.test" | "permission.list" | "sandbox.run" | "models.list">;

/** Methods that show what would be decided, with the very functions that decide. */
export function policyMethods(ports: MethodPorts): PolicyMethods {
  const settingsFor = (cwd: string) => ports.loadSettings(cwd, { sandbox: "on" }, {});
  return {
    "permission.test": async (params) => {
      const tool = findTool(params.tool) ?? domainTool(params.tool);
      if (!tool) {
        throw new AppError(
          "bad_input",
          `unknown tool "${params.tool}"; there are ${toolNames().join(", ")}, and fetch for a domain that a command wants`,
        );
      }
      const parsed = tool.parse(params.input);
      if (!parsed.ok) {
        return {
          decision: {
            type: "ask",
            layer: "invalid",
            profile: "read-only",
            reason: parsed.error,
            parts: [],
            suggestions: [],
            onceOnly: true,
          },
          words: [],
        };
      }
      const cwd = await realFolder(params.cwd, "the working directory");
      const settings = await settingsFor(cwd);
      const home = params.home ?? ports.folders.home;
      const place: Place = { cwd, roots: [cwd], home, tmp: ports.folders.tmpRoot };
      const mode = params.mode ?? settings.config.permissionMode;
      const decision = decideFor(
        tool,
        params.input,
        await resolveActions(tool.actions(parsed.value, place), place),
        {
          settings: {
            rules: params.rules ?? settings.rules,
            trusted: params.trusted ?? settings.trusted,
          },
          grants: [],
          mode,
          place,
          policy: sessionPolicy({ mode, roots: [cwd] }, place, settings, ports.folders.privateDirs),
          sandboxed: true,
        },
      );
      return { decision, words: decision.type === "ask" ? rulesInWords(decision.suggestions) : [] };
    },

    "permission.list": async ({ cwd }) => {
      const settings = await settingsFor(await realFolder(cwd, "the working directory"));
      return { rules: settings.rules, mode: settings.config.permissionMode, trusted: settings.trusted };
    },

    // Nobody else waits for it: the command ends with the connection.
    "sandbox.run": async (params, { signal }) => {
      const { config } = await settingsFor(await realFolder(params.cwd, "the working directory"));
      const home = params.environment.HOME ?? ports.folders.home;
      const environment = commandEnvironment(params.environment, config.env, home);
      return {
        result: await runWithPolicyFile({ ...params, environment }, ports.effects.sandbox, ports, signal),
      };
    },

    "models.list": async ({ cwd, context }) => {
      const settings = await ports.loadSettings(cwd, { sandbox: "on" }, context.environment);
      return modelChoices({
        configured: settings.config.model,
        overrides: settings.config.models,
        ...ports.lend(context, cwd),
      });
    },
  };
}

/** What the gate asks for a command, by the name that rules have for it: `fetch` with a `url`. */
function domainTool(name: string): Pick<ToolDefinition, "name" | "effect" | "parse" | "actions"> | undefined {
  if (toolName(name) !== "fetch") return undefined;
  return {
    ...FETCH,
    parse: (input) => {
      const { url } = input as JsonObject;
      return typeof url === "string"
        ? { ok: true, value: url }
        : { ok: false, error: "fetch needs a url, for example https://example.com/" };
    },
    actions: (url) => [{ type: "fetch_url", url: String(url) }],
  };
}
