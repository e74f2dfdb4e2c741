import { initial } from "./initial.ts";
import type { Migration } from "./migration.ts";
import { tasks } from "./tasks.ts";

/** Every step, oldest first; a new one is added at the end. */
export const MIGRATIONS: readonly Migration[] = [initial, tasks];
