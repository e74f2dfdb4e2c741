import type { LoadedSkill } from "../../protocol/plans.ts";
import { defineTool } from "../define.ts";
import { errorOutput, portFailure, textOutput } from "../support/output.ts";
import description from "./load-skill.md";

/** Gives the body of a skill, and where the files beside it lie. */
export const loadSkillTool = defineTool({
  name: "load_skill",
  aliases: ["skill", "activate_skill"],
  description,
  parameters: { name: { type: "string", required: true, aliases: ["skill", "command"] } },
  effect: "none",
  parallel: true,
  actions: () => [{ type: "session_state" }],
  async run({ name }, context) {
    const loaded = await context.skills.load(name.trim());
    if (loaded === null) return errorOutput(unknownText(name.trim(), await context.skills.names()));
    if (!loaded.ok) return portFailure(loaded.error);
    const skill = loaded.value;
    const output = textOutput(`<skill name="${skill.name}">${skill.body}</skill>`);
    const notes = notesOf(skill);
    return notes === "" ? output : { ...output, content: [...output.content, { type: "text", text: notes }] };
  },
});

function unknownText(name: string, names: readonly string[]): string {
  if (names.length === 0) return "No skills are available.";
  return `Unknown skill '${name}'. Available skills: ${names.join(", ")}`;
}

function notesOf({ folder, files, allowedTools }: LoadedSkill): string {
  const lines: string[] = [];
  if (files.length > 0) lines.push(`Files of this skill in ${folder}: ${files.join(", ")}`);
  if (allowedTools.length > 0)
    lines.push(`While you follow it, use these tools only: ${allowedTools.join(" ")}`);
  return lines.join("\n");
}
