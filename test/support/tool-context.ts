import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadedSkill, TaskPort, TodoItem } from "../../src/protocol/plans.ts";
import type { CommandPort, Recalled, SandboxPolicy } from "../../src/protocol/ports.ts";
import type { Place, ToolContext, ToolDefinition, ToolOutput } from "../../src/protocol/tool.ts";
import type { ChangeRow } from "../../src/sandbox/files/context.ts";
import { createFiles } from "../../src/sandbox/files/create-files.ts";
import { createReadLedger } from "../../src/sandbox/files/ledger.ts";
import { createSearch } from "../../src/sandbox/search/create-search.ts";
import { sha256 } from "../../src/shared/hash.ts";

/** A tool context over a fresh workspace with the real file layer and search. */
export type ToolLab = {
  work: string;
  place: Place;
  policy: SandboxPolicy;
  context: ToolContext;
  /** Changes of files, in order. */
  rows: ChangeRow[];
  /** Bytes given to `context.image`, in order. */
  images: Uint8Array[];
  /** Focus of each compaction that was asked for. */
  compactions: (string | null)[];
  /** What `context.recall` knows, by id. */
  recalled: Map<string, Recalled>;
  /** What the todo port holds. */
  todos: TodoItem[];
  /** What the skill port offers. */
  skills: LoadedSkill[];
  /** Parses the input and runs the tool; a bad input becomes an error output, as in the product. */
  run(tool: ToolDefinition, input: Parameters<ToolDefinition["parse"]>[0]): Promise<ToolOutput>;
  end(): void;
};

const noCommands: CommandPort = {
  run: () => Promise.resolve({ ok: false, error: { code: "invalid", message: "no commands in this test" } }),
};

const noTask = () =>
  Promise.resolve({
    ok: false as const,
    error: { code: "invalid" as const, message: "no tasks in this test" },
  });
const noTasks: TaskPort = { create: noTask, update: noTask, get: noTask, list: noTask };

export function createToolLab(commands: CommandPort = noCommands, tasks: TaskPort = noTasks): ToolLab {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-tools-")));
  const work = join(base, "work");
  for (const name of ["work", "home", "private-tmp"]) mkdirSync(join(base, name));
  const place: Place = { cwd: work, roots: [work], home: join(base, "home"), tmp: join(base, "private-tmp") };
  const policy: SandboxPolicy = {
    mode: "workspace-write",
    writableRoots: [work],
    readableRoots: [],
    home: place.home,
    tmpDir: place.tmp,
    denyRead: ["**/.env"],
    allowRead: [],
    protectedNames: [".git/hooks"],
    network: { type: "none" },
    allowSockets: [],
    limits: { memoryMb: null, processes: null, tmpMb: null, outputBytes: 1_000_000 },
  };
  const rows: ChangeRow[] = [];
  const images: Uint8Array[] = [];
  const compactions: (string | null)[] = [];
  const recalled = new Map<string, Recalled>();
  const todos: TodoItem[] = [];
  const skills: LoadedSkill[] = [];
  const signal = new AbortController().signal;
  const context: ToolContext = {
    place,
    signal,
    files: createFiles({
      policy,
      place,
      seen: createReadLedger(),
      storeBytes: (bytes) => Promise.resolve(sha256(bytes)),
      onChange: (row) => void rows.push(row),
      signal,
    }),
    commands,
    search: createSearch({ policy, place, ripgrep: null, environmentPath: "", signal }),
    recall: {
      async read(id) {
        const value = recalled.get(id);
        return value
          ? { ok: true, value }
          : { ok: false, error: { code: "not_found", message: `there is no ${id}` } };
      },
    },
    todos: {
      get: () => todos,
      replace: (items) => void todos.splice(0, todos.length, ...items),
    },
    tasks,
    skills: {
      names: async () => skills.map((skill) => skill.name).sort(),
      async load(name) {
        const value = skills.find((skill) => skill.name === name);
        return value ? { ok: true, value } : null;
      },
    },
    compact: (focus) => void compactions.push(focus),
    progress: () => undefined,
    async image(bytes, mediaType, size) {
      images.push(bytes);
      return { type: "image", blob: { hash: sha256(bytes), size: bytes.length, mediaType }, ...size };
    },
    settings: {
      commandTimeoutMs: 120_000,
      commandTimeoutMaxMs: 600_000,
      outputLimitChars: 50_000,
      extra: null,
    },
  };
  return {
    work,
    place,
    policy,
    context,
    rows,
    images,
    recalled,
    compactions,
    todos,
    skills,
    async run(tool, input) {
      const parsed = tool.parse(input);
      if (!parsed.ok) return { status: "error", content: [{ type: "text", text: parsed.error }] };
      return tool.run(parsed.value, context);
    },
    end: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The text of a result. */
export function textOf(output: ToolOutput): string {
  return output.content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}
