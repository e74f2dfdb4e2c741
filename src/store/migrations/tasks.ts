import type { Migration } from "./migration.ts";

/** Version 2: tasks by project. The counter is a row of its own, so that the id of a deleted task is not used again. */
export const tasks: Migration = {
  version: 2,
  sql: `
CREATE TABLE tasks (
  project TEXT NOT NULL,
  id INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (project, id)
) STRICT;
CREATE TABLE task_counters (project TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
`,
};
