import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Client } from "../../client/client.ts";
import type { Task } from "../../protocol/plans.ts";
import { AppError, errorMessage } from "../../shared/error.ts";
import { plural, stripControls } from "../../shared/text.ts";
import { type CliHost, print, say } from "../host.ts";
import { commandArgs, usage } from "./subcommand-args.ts";

/** `lathe tasks ...`: the tasks of the project that the working directory belongs to. */
export async function tasksCommand(host: CliHost, args: string[]): Promise<number> {
  const [verb = "list", ...rest] = args;
  const run = { list, show, delete: remove, export: exportTasks, import: importTasks }[verb];
  if (!run) throw usage(`lathe tasks has no "${verb}"`, "tasks");
  const client = await host.connect();
  try {
    return await run(client, host, rest);
  } finally {
    client.close();
  }
}

const tasksHere = async (client: Client, host: CliHost): Promise<Task[]> =>
  (await client.call("tasks.list", { cwd: host.cwd })).tasks;

async function list(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { values } = commandArgs("tasks list", args, { json: { type: "boolean" } });
  const tasks = await tasksHere(client, host);
  if (values.json) print(host, JSON.stringify(tasks, null, 2));
  else if (tasks.length === 0) print(host, "No tasks.");
  else for (const task of tasks) print(host, line(task));
  return 0;
}

function line({ id, subject, status, blockedBy, owner }: Task): string {
  const mark = { pending: "[ ]", in_progress: "[>]", completed: "[x]" }[status];
  const who = owner === "" ? "" : ` @${owner}`;
  const blocked = blockedBy.length === 0 ? "" : ` (blocked by: ${blockedBy.join(", ")})`;
  return stripControls(`${mark} ${id}: ${subject.replace(/\s+/g, " ")}${who}${blocked}`);
}

async function show(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { positionals } = commandArgs("tasks show", args, {});
  const id = idOf(positionals[0], "show");
  const task = (await tasksHere(client, host)).find((known) => known.id === id);
  if (!task) throw missing(id);
  print(host, fileText(task));
  return 0;
}

async function remove(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { positionals } = commandArgs("tasks delete", args, {});
  const ids = (positionals.length === 0 ? [undefined] : positionals).map((text) => idOf(text, "delete"));
  for (const id of ids) {
    const { deleted } = await client.call("tasks.delete", { cwd: host.cwd, id });
    if (!deleted) throw missing(id);
    print(host, `deleted task ${id}`);
  }
  return 0;
}

const missing = (id: number): AppError =>
  new AppError("not_found", `this project has no task ${id}; \`lathe tasks list\` shows them`);

function idOf(text: string | undefined, verb: string): number {
  if (text === undefined) throw usage(`lathe tasks ${verb} needs the id of a task`, "tasks");
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw usage(`lathe tasks ${verb}: "${text}" is no id of a task`, "tasks");
}

/** One file for each task; a file of that name that is there already is replaced, other files stay. */
async function exportTasks(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { positionals } = commandArgs("tasks export", args, {});
  const folder = folderOf(host, positionals[0], "export");
  const tasks = await tasksHere(client, host);
  try {
    mkdirSync(folder, { recursive: true });
    for (const task of tasks) writeFileSync(join(folder, `task_${task.id}.json`), fileText(task));
  } catch (error) {
    throw new AppError("bad_input", `the tasks cannot be written to ${folder}: ${errorMessage(error)}`);
  }
  say(host, `wrote ${plural(tasks.length, "task")} to ${positionals[0]}`);
  return 0;
}

/** Pretty-printed with sorted keys. */
const fileText = (task: Task): string => `${JSON.stringify(task, Object.keys(task).sort(), 2)}\n`;

/** Imports every file of a folder; what is left out is named. Exit code 1 when nothing came. */
async function importTasks(client: Client, host: CliHost, args: string[]): Promise<number> {
  const { values, positionals } = commandArgs("tasks import", args, { replace: { type: "boolean" } });
  const folder = folderOf(host, positionals[0], "import");
  const { imported, notes } = await client.call("tasks.import", {
    cwd: host.cwd,
    files: filesIn(folder),
    replace: values.replace ?? false,
  });
  for (const note of notes) say(host, stripControls(note));
  print(host, `imported ${plural(imported.length, "task")}`);
  return imported.length === 0 ? 1 : 0;
}

function filesIn(folder: string): { name: string; text: string }[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return entries
      .map(({ name }) => ({
        name,
        text: /^task_.*\.json$/.test(name) ? readFileSync(join(folder, name), "utf8") : "",
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new AppError("bad_input", `${folder} cannot be read: ${errorMessage(error)}`);
  }
}

function folderOf(host: CliHost, path: string | undefined, verb: string): string {
  if (path === undefined) throw usage(`lathe tasks ${verb} needs a folder`, "tasks");
  return resolve(host.cwd, path);
}
