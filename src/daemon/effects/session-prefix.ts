import { loadInstructions } from "../../context/instructions/load.ts";
import { buildSystemPrompt, pinPrefix, readPrefix } from "../../context/system-prompt/build.ts";
import type { SkillLine } from "../../context/system-prompt/menus.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { plural } from "../../shared/text.ts";
import { toolSpecs } from "../../tools/registry.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { sessionSkills } from "./skill-access.ts";

/**
 * System prompt and tool list of the session: built at its first request, stored by hash, and read back from
 * the store ever after, so that they stay byte-identical over turns, resume, restart and fork.
 */
export async function sessionPrefix(
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<{ system: string; tools: ToolSpec[] }> {
  if (runtime.prefix) return runtime.prefix;
  const pinned = runtime.prefixHash === null ? null : await ports.store.getBlob(runtime.prefixHash);
  if (pinned && runtime.prefixHash !== null) {
    runtime.prefix = { hash: runtime.prefixHash, ...readPrefix(pinned) };
    return runtime.prefix;
  }
  const prefix = { system: await systemPrompt(runtime, ports), tools: toolSpecs(runtime.options.tools) };
  const { bytes } = pinPrefix(prefix);
  const { hash } = await ports.store.putBlob(bytes, "application/json");
  await ports.store.setPrefix(runtime.actor.session.id, hash);
  runtime.prefixHash = hash;
  runtime.prefix = { hash, ...prefix };
  return runtime.prefix;
}

async function systemPrompt(runtime: SessionRuntime, ports: EffectPorts): Promise<string> {
  const { place, options } = runtime;
  const { home, platform, release, hostName, nodeVersion } = ports.host;
  const instructions = await loadInstructions({
    cwd: place.cwd,
    roots: place.roots,
    home,
    configDir: ports.host.configDir,
  });
  for (const text of instructions.notices) {
    runtime.actor.post({ type: "noticed", level: "warning", code: "instructions", text });
  }
  return buildSystemPrompt({
    systemPrompt: options.systemPrompt,
    appendSystemPrompt: options.appendSystemPrompt,
    startedAt: runtime.actor.session.createdAt,
    platform,
    release,
    hostName,
    nodeVersion,
    cwd: place.cwd,
    roots: place.roots,
    instructions: instructions.blocks,
    soul: instructions.soul,
    user: instructions.user,
    skills: await skillMenu(runtime, ports),
    mcp: null,
  });
}

/** The skills that the model may load; none for a session that has no tool to load them with. */
async function skillMenu(runtime: SessionRuntime, ports: EffectPorts): Promise<SkillLine[]> {
  const { tools } = runtime.options;
  if (tools && !toolSpecs(tools).some((tool) => tool.name === "load_skill")) return [];
  const { skills, untrusted } = await sessionSkills(runtime, ports);
  if (untrusted > 0) {
    const text = `${plural(untrusted, "skill")} of this folder ${untrusted === 1 ? "is" : "are"} not offered because it is not trusted; \`lathe trust\` changes that.`;
    runtime.actor.post({ type: "noticed", level: "info", code: "skills", text });
  }
  return skills.filter((skill) => !skill.userOnly);
}
