import type { Task } from "../../../protocol/plans.ts";
import { describeIssue } from "../../../protocol/schema/describe-issue.ts";
import { taskSchema } from "../../../protocol/schema/task.ts";
import { errorMessage } from "../../../shared/error.ts";
import { projectOf } from "../../ports/project.ts";
import { realFolder } from "../../sessions/open-runtime.ts";
import type { Handlers } from "../handlers.ts";
import type { MethodPorts } from "./method-ports.ts";

type TaskMethods = Pick<Handlers, "tasks.list" | "tasks.import" | "tasks.delete">;

/** Methods for the tasks of a project; its sessions see what they change at their next call. */
export function taskMethods(ports: MethodPorts): TaskMethods {
  const { store } = ports.effects;
  const projectAt = async (cwd: string) => projectOf(await realFolder(cwd, "the working directory"));
  return {
    "tasks.list": async ({ cwd }) => {
      const project = await projectAt(cwd);
      return { project, tasks: await store.tasks(project) };
    },
    "tasks.import": async ({ cwd, files, replace }) => {
      const read = files.map(({ name, text }) => ({ name, task: readTask(name, text) }));
      const skipped = read.flatMap(({ name, task }) =>
        typeof task === "string" ? [`${name} is skipped: ${task}`] : [],
      );
      const tasks = read.flatMap(({ task }) => (typeof task === "string" ? [] : [task]));
      tasks.sort((a, b) => a.id - b.id);
      const { imported, notes } = await store.importTasks(await projectAt(cwd), tasks, replace);
      return { imported, notes: [...skipped, ...notes] };
    },
    "tasks.delete": async ({ cwd, id }) => ({ deleted: await store.deleteTask(await projectAt(cwd), id) }),
  };
}

/** The task in an exported file, or why there is none. */
function readTask(name: string, text: string): Task | string {
  const id = /^task_([1-9]\d{0,9})\.json$/.exec(name)?.[1];
  if (id === undefined) return "its name is not task_<id>.json";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return errorMessage(error);
  }
  const parsed = taskSchema.safeParse(value);
  if (!parsed.success) return parsed.error.issues.map((issue) => describeIssue(issue, value)).join("; ");
  return parsed.data.id === Number(id) ? parsed.data : `it holds task ${parsed.data.id}`;
}
