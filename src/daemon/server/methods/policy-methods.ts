import { modelChoices } from "../../../model/choices.ts";
import { decide } from "../../../permission/decide.ts";
import type { Place } from "../../../protocol/tool.ts";
import { buildPolicy } from "../../../sandbox/policy.ts";
import { runWithPolicyFile } from "../../../sandbox/run-policy.ts";
import { AppError } from "../../../shared/error.ts";
import { findTool, toolNames } from "../../../tools/registry.ts";
import { resolveActions } from "../../effects/resolve-actions.ts";
import { realFolder } from "../../sessions/open-runtime.ts";
import type { Handlers } from "../handlers.ts";
import type { MethodPorts } from "./method-ports.ts";

type PolicyMethods = Pick<Handlers, "permission.test" | "permission.list" | "sandbox.run" | "models.list">;

/** Methods that show what would be decided, with the very functions that decide. */
export function policyMethods(ports: MethodPorts): PolicyMethods {
  const settingsFor = (cwd: string) => ports.loadSettings(cwd, { sandbox: "on" }, {});
  return {
    "permission.test": async (params) => {
      const tool = findTool(params.tool);
      if (!tool) {
        throw new AppError("bad_input", `unknown tool "${params.tool}"; there are ${toolNames().join(", ")}`);
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
        };
      }
      const cwd = await realFolder(params.cwd, "the working directory");
      const settings = await settingsFor(cwd);
      const home = params.home ?? ports.folders.home;
      const place: Place = { cwd, roots: [cwd], home, tmp: ports.folders.tmpRoot };
      const policy = buildPolicy({
        mode: "workspace-write",
        writableRoots: [cwd],
        readableRoots: [],
        home,
        tmpDir: place.tmp,
        privateDirs: ports.folders.privateDirs,
        ...settings.config.sandbox,
      });
      const decision = decide({
        tool: tool.name,
        effect: tool.effect,
        input: params.input,
        actions: await resolveActions(tool.actions(parsed.value, place), place),
        rules: params.rules ?? settings.rules,
        grants: [],
        mode: params.mode ?? settings.config.permissionMode,
        place,
        trusted: params.trusted ?? settings.trusted,
        sandboxed: true,
        protectedNames: policy.protectedNames,
        denyRead: policy.denyRead,
      });
      return { decision };
    },

    "permission.list": async ({ cwd }) => {
      const settings = await settingsFor(await realFolder(cwd, "the working directory"));
      return { rules: settings.rules, mode: settings.config.permissionMode, trusted: settings.trusted };
    },

    "sandbox.run": async (params) => ({
      result: await runWithPolicyFile(params, ports.effects.sandbox, ports),
    }),

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
