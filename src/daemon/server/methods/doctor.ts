import { accessSync, constants } from "node:fs";
import type { SandboxState } from "../../../protocol/ports.ts";
import type { Methods } from "../../../protocol/rpc.ts";
import { errorMessage } from "../../../shared/error.ts";
import { plural } from "../../../shared/text.ts";
import { skillsOf } from "../../effects/skill-access.ts";
import { chooseModel } from "../../sessions/choose-model.ts";
import type { MethodPorts } from "./method-ports.ts";

type Doctor = Methods["daemon.doctor"];
type Check = Doctor["result"]["checks"][number];

/** Every part looked at for real: the sandbox proves itself, the store is asked, config is read. */
export async function runDoctor(params: Doctor["params"], ports: MethodPorts): Promise<Doctor["result"]> {
  const sandbox = await ports.effects.sandbox.probe();
  const checks: Check[] = [
    { name: "node", status: "ok", detail: process.version },
    {
      name: "daemon",
      status: "ok",
      detail: `version ${ports.version}, pid ${process.pid}, log ${ports.logFile}`,
    },
    ...sandboxChecks(sandbox),
    await storeCheck(ports),
    searchCheck(ports.effects.ripgrep),
    ...(await configChecks(params, ports)),
    ...(await skillChecks(params, ports)),
    await modelCheck(params, ports),
  ];
  return { checks, sandbox };
}

function sandboxChecks(sandbox: SandboxState): Check[] {
  if (sandbox.type === "unavailable") {
    return [{ name: "sandbox", status: "failed", detail: sandbox.reason, mend: sandbox.mend }];
  }
  if (sandbox.type === "off") return [{ name: "sandbox", status: "warning", detail: "off by flag" }];
  return [
    { name: "sandbox", status: "ok", detail: `${sandbox.kind}: a probe that must fail, failed` },
    ...sandbox.missing.map(
      (what): Check => ({ name: "sandbox", status: "warning", detail: `not enforced here: ${what}` }),
    ),
  ];
}

async function storeCheck(ports: MethodPorts): Promise<Check> {
  try {
    accessSync(ports.stateDir, constants.W_OK);
    const stats = await ports.effects.store.stats();
    return {
      name: "store",
      status: "ok",
      detail: `${ports.stateDir}, ${stats.sessions} sessions, schema ${stats.schemaVersion}`,
    };
  } catch (error) {
    return {
      name: "store",
      status: "failed",
      detail: errorMessage(error),
      mend: `make ${ports.stateDir} writable`,
    };
  }
}

function searchCheck(ripgrep: string | null): Check {
  return ripgrep === null
    ? { name: "search", status: "warning", detail: "ripgrep not found; a slower search of our own is used" }
    : { name: "search", status: "ok", detail: ripgrep };
}

async function configChecks(params: Doctor["params"], ports: MethodPorts): Promise<Check[]> {
  try {
    const settings = await ports.loadSettings(params.cwd, { sandbox: "on" }, params.context.environment);
    const trust: Check = {
      name: "trust",
      status: "ok",
      detail: settings.trusted
        ? "this folder is trusted"
        : "this folder is not trusted: its config can only tighten",
    };
    return [
      {
        name: "config",
        status: "ok",
        detail: `${settings.rules.length} rules, mode ${settings.config.permissionMode}`,
      },
      ...settings.notices.map((detail): Check => ({ name: "config", status: "warning", detail })),
      trust,
    ];
  } catch (error) {
    return [
      {
        name: "config",
        status: "failed",
        detail: errorMessage(error),
        mend: "correct the file at the place named",
      },
    ];
  }
}

/** The very choice that a new session would make, its key included. */
/** Every skill that cannot be offered, or that another one hides, by the path of its file. */
async function skillChecks({ cwd, context }: Doctor["params"], ports: MethodPorts): Promise<Check[]> {
  const settings = await ports.loadSettings(cwd, { sandbox: "on" }, context.environment).catch(() => null);
  // A broken config has a check of its own; until it is mended no session starts.
  if (settings === null) return [];
  const { skills, problems, shadowed, untrusted } = await skillsOf(cwd, settings, ports.effects);
  const notes =
    untrusted === 0 ? "" : `; ${plural(untrusted, "skill")} of this folder not offered: it is not trusted`;
  return [
    { name: "skills", status: "ok", detail: `${plural(skills.length, "skill")}${notes}` },
    ...[...problems, ...shadowed].map((detail): Check => ({ name: "skills", status: "warning", detail })),
  ];
}

async function modelCheck(params: Doctor["params"], ports: MethodPorts): Promise<Check> {
  const settings = await ports
    .loadSettings(params.cwd, { sandbox: "on" }, params.context.environment)
    .catch(() => null);
  try {
    const { model, notice } = await chooseModel({
      configured: settings?.config.model,
      overrides: settings?.config.models ?? {},
      ...ports.lend(params.context, params.cwd),
    });
    const detail = notice ?? `${model.id} at ${model.baseUrl}`;
    return { name: "model", status: "ok", detail };
  } catch (error) {
    return {
      name: "model",
      status: "warning",
      detail: errorMessage(error),
      mend: "set the key that is named, or start Ollama; `lathe demo` needs neither",
    };
  }
}
