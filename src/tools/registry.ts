import type { JsonObject } from "../protocol/ids.ts";
import type { ToolDefinition, ToolSpec } from "../protocol/tool.ts";
import { bashTool } from "./bash/bash.ts";
import { compactTool } from "./compact/compact.ts";
import { deleteFileTool } from "./delete-file/delete-file.ts";
import { editFileTool } from "./edit-file/edit-file.ts";
import { globTool } from "./glob/glob.ts";
import { grepTool } from "./grep/grep.ts";
import { listFilesTool } from "./list-files/list-files.ts";
import { loadSkillTool } from "./load-skill/load-skill.ts";
import { moveFileTool } from "./move-file/move-file.ts";
import { readFileTool } from "./read-file/read-file.ts";
import { recallResultTool } from "./recall-result/recall-result.ts";
import { taskCreateTool } from "./tasks/task-create.ts";
import { taskGetTool } from "./tasks/task-get.ts";
import { taskListTool } from "./tasks/task-list.ts";
import { taskUpdateTool } from "./tasks/task-update.ts";
import { todoTool } from "./todo/todo.ts";
import { writeFileTool } from "./write-file/write-file.ts";

/** Every tool, in the order in which models see them. */
export const allTools: readonly ToolDefinition[] = [
  bashTool,
  readFileTool,
  editFileTool,
  writeFileTool,
  grepTool,
  globTool,
  listFilesTool,
  moveFileTool,
  deleteFileTool,
  recallResultTool,
  compactTool,
  todoTool,
  taskCreateTool,
  taskUpdateTool,
  taskListTool,
  taskGetTool,
  loadSkillTool,
];

/** Editors of other agents that do several things: the input's `command` says which. */
const EDITORS = ["text_editor", "str_replace_editor", "str_replace_based_edit_tool", "editor"];
const EDITOR_COMMANDS: Record<string, string> = {
  view: "read_file",
  read: "read_file",
  create: "write_file",
  write: "write_file",
  append: "write_file",
  str_replace: "edit_file",
  replace: "edit_file",
  edit: "edit_file",
  delete: "delete_file",
  move: "move_file",
  rename: "move_file",
};

/**
 * The tool that a model means by a name: its own or an alias, in any case. For an editor with sub-operations
 * the input is needed too. `undefined` when there is no such tool.
 */
export function findTool(name: string, input: JsonObject = {}): ToolDefinition | undefined {
  const wanted = plain(name);
  if (EDITORS.some((editor) => plain(editor) === wanted)) {
    const tool = EDITOR_COMMANDS[String(input.command).toLowerCase()];
    return tool === undefined ? undefined : findTool(tool);
  }
  return (
    allTools.find((tool) => plain(tool.name) === wanted) ??
    allTools.find((tool) => tool.aliases.some((alias) => plain(alias) === wanted))
  );
}

const plain = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, "");

/** The names of all tools, in the order in which models see them. */
export function toolNames(): string[] {
  return allTools.map((tool) => tool.name);
}

/** What models see of the tools: all, or those named, always in the same order. */
export function toolSpecs(names?: readonly string[]): ToolSpec[] {
  const chosen = names?.map((name) => findTool(name)?.name);
  return allTools
    .filter((tool) => !chosen || chosen.includes(tool.name))
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}
