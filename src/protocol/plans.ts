import type { Result } from "./ports.ts";

/** One line of a session's checklist. `id` is the model's own name for it. */
export type TodoItem = { id: string; text: string; status: TodoStatus };

export type TodoStatus = "pending" | "in_progress" | "completed";

/** The checklist of one session: gone with it, and with `clear`. */
export type TodoPort = {
  get(): readonly TodoItem[];
  /** Puts a checked list in the place of the old one; stored with the result of the call. */
  replace(items: readonly TodoItem[]): void;
};

/**
 * A task of a project: it outlives sessions. Ids count up from 1 and are never used again. `blockedBy` names tasks
 * that are not completed yet; `blocks` is the same edge seen from the other side, kept when a task is completed.
 */
export type Task = {
  id: number;
  subject: string;
  description: string;
  status: TodoStatus;
  blockedBy: number[];
  blocks: number[];
  /** Who works on it, in the words of whoever set it; "" = nobody. */
  owner: string;
};

/** What may be changed of a task; edges are added, never taken away. */
export type TaskChange = {
  status?: TodoStatus;
  owner?: string;
  addBlockedBy?: number[];
  addBlocks?: number[];
};

/**
 * The tasks of the session's project. Refused with `not_found` for an unknown id and `invalid` for an edge that
 * would make a task wait for itself; then nothing was changed.
 */
export type TaskPort = {
  create(task: { subject: string; description: string }): Promise<Result<Task>>;
  update(id: number, change: TaskChange): Promise<Result<Task>>;
  get(id: number): Promise<Result<Task>>;
  /** Sorted by id. */
  list(): Promise<Result<Task[]>>;
};

/** What came of an import: ids that were taken, and what was left out and why, one sentence each. */
export type TaskImport = { imported: number[]; notes: string[] };

/** A skill as it is loaded: its instructions, and the folder that its own files lie in. */
export type LoadedSkill = {
  name: string;
  body: string;
  folder: string;
  /** Files beside SKILL.md, relative to the folder, sorted (bounded). */
  files: string[];
  /** What the skill says that it wants to be restricted to; empty: nothing. */
  allowedTools: string[];
};

/** The skills that the session offers to the model. */
export type SkillPort = {
  /** Names, sorted. */
  names(): Promise<string[]>;
  /** Null for a name that is not offered. Its folder can be read from then on. */
  load(name: string): Promise<Result<LoadedSkill> | null>;
};
