import { loadSkill } from "../../extensions/skills/load.ts";
import { type SkillScan, scanSkills } from "../../extensions/skills/scan.ts";
import type { SkillPort } from "../../protocol/plans.ts";
import { cutText } from "../../shared/text.ts";
import { projectOf } from "../ports/project.ts";
import type { SessionRuntime, SessionSettings } from "../sessions/session-runtime.ts";
import type { Attempt } from "./attempt.ts";
import type { EffectPorts } from "./effect-ports.ts";

/** The skills of a session: looked for once, at its first need, and then the same until it is cleared or reloaded. */
export function sessionSkills(runtime: SessionRuntime, ports: EffectPorts): Promise<SkillScan> {
  const { place, settings } = runtime;
  runtime.skills ??= skillsOf(place.cwd, settings, ports);
  return runtime.skills;
}

/** The skills that a session in this folder would have. */
export async function skillsOf(
  cwd: string,
  { trusted, config }: Pick<SessionSettings, "trusted" | "config">,
  { host }: Pick<EffectPorts, "host">,
): Promise<SkillScan> {
  const { home, configDir, managedDir } = host;
  // A folder that is gone has no skills, but its session can still be looked at.
  const top = await projectOf(cwd).catch(() => cwd);
  return scanSkills({
    cwd,
    top,
    home,
    configDir,
    managedDir,
    trusted,
    precedence: config.skillPrecedence,
  });
}

/** Skills as a running tool may load them; the files of a loaded one can be read at once and ever after. */
export function skillAccess({ facts }: Attempt, runtime: SessionRuntime, ports: EffectPorts): SkillPort {
  const offered = async () => (await sessionSkills(runtime, ports)).skills.filter((skill) => !skill.userOnly);
  return {
    names: async () => (await offered()).map((skill) => skill.name),
    async load(name) {
      const skill = (await offered()).find((known) => known.name === name);
      if (!skill) return null;
      const loaded = await loadSkill(skill, { sessionId: runtime.actor.session.id });
      if (loaded.ok) facts.push({ type: "skill_loaded", name, folder: loaded.value.folder });
      return loaded;
    },
  };
}

/** Skills that the user may call for by name. */
export function callableSkills({ skills }: SkillScan): { name: string; description: string }[] {
  return skills
    .filter((skill) => !skill.modelOnly)
    .map(({ name, description }) => ({ name, description: cutText(description, MAX_DESCRIPTION, "…") }));
}

const MAX_DESCRIPTION = 300;

/**
 * What a prompt `/name words` stands for when the user may call for such a skill: its instructions, with the words
 * in place of `$ARGUMENTS`. Null for every other prompt. No command in it is run.
 */
export async function calledSkill(
  text: string,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<string | null> {
  const call = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!call) return null;
  const { skills } = await sessionSkills(runtime, ports);
  const skill = skills.find((known) => known.name === call[1] && !known.modelOnly);
  if (!skill) return null;
  const loaded = await loadSkill(skill, { sessionId: runtime.actor.session.id, arguments: call[2] ?? "" });
  if (!loaded.ok) {
    runtime.actor.post({ type: "noticed", level: "warning", code: "skills", text: loaded.error.message });
    return null;
  }
  const { name, body, folder, files } = loaded.value;
  runtime.actor.post({ type: "skill_loaded", name, folder });
  const beside = files.length === 0 ? "" : `\nFiles of this skill in ${folder}: ${files.join(", ")}`;
  return `<skill name="${name}">${body}</skill>${beside}`;
}
