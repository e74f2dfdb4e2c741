import { cutText } from "../../shared/text.ts";

export type SkillLine = { name: string; description: string };

const MAX_DESCRIPTION = 300;
const MAX_SERVER_NAMES = 600;

/** Skills by name, one line each; null when there is none. */
export function skillsSection(skills: readonly SkillLine[]): string | null {
  if (skills.length === 0) return null;
  const lines = [...skills]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, description }) => `  - ${name}: ${cutText(oneLine(description), MAX_DESCRIPTION, "...")}`);
  return `# Skills\nLoad a skill with load_skill before work that it describes:\n${lines.join("\n")}`;
}

/** Says where the tools of MCP servers are found, whatever their number; null when there is no server. */
export function mcpSection(servers: readonly string[]): string | null {
  if (servers.length === 0) return null;
  const names = cutText(servers.map(oneLine).join(", "), MAX_SERVER_NAMES, ", ...");
  return `# MCP\nMore tools come from MCP servers (${names}): find them with mcp_search, call them with mcp_call.`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
