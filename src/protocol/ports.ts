import type { Millis, SessionId } from "./ids.ts";
import type { ImageBlock } from "./message.ts";

/**
 * Interfaces that one room offers and others use without importing it. The store's port is in
 * store-port.ts, the model's in model-port.ts.
 */

/** A refusal or failure that a port reports as a value. `code` is stable, `message` is for the reader. */
export type PortError = {
  code:
    | "not_found"
    | "is_directory"
    | "not_a_directory"
    | "outside_roots"
    | "protected"
    | "secret"
    | "too_large"
    | "binary"
    | "unsupported_encoding"
    | "not_read"
    | "changed_since_read"
    | "no_match"
    | "ambiguous"
    | "no_space"
    | "permission"
    | "invalid"
    | "aborted"
    /** There is no sandbox to run it in, so it was not run. */
    | "no_sandbox"
    | "io";
  message: string;
};

export type Result<T> = { ok: true; value: T } | { ok: false; error: PortError };

/** One read of a text file. Lines are without their line ends; BOM and encoding are hidden. */
export type TextSlice = {
  path: string;
  lines: string[];
  /** 1-based number of the first line in `lines`. */
  firstLine: number;
  totalLines: number;
  totalBytes: number;
  /** Set when a single line was cut: character offset to go on from, for `startChar`. */
  nextChar?: number;
  /** Lines after the last one given. */
  remainingLines: number;
};

export type FileKind =
  | { type: "text"; bytes: number }
  | { type: "directory" }
  | { type: "image"; mediaType: string; bytes: number }
  | { type: "pdf"; bytes: number }
  | { type: "notebook"; bytes: number }
  | { type: "binary"; description: string; bytes: number };

export type FileChange = {
  path: string;
  /** Unified diff with three lines of context; empty when nothing changed or too large to diff. */
  patch: string;
  added: number;
  removed: number;
  bytes: number;
  created: boolean;
};

export type EditOutcome = FileChange & {
  /** Matches replaced, all matches found, and the 1-based lines of both. */
  replaced: number;
  matches: number;
  line: number;
  otherLines: number[];
};

/**
 * The byte-true file layer. Paths are absolute. Every method checks the session's policy itself (roots,
 * protected paths, secrets, links) on the resolved path and acts on what it checked; all edits keep
 * encoding, BOM, line ends, final newline, mode and links, are atomic, and store the bytes from before.
 */
export type FilePort = {
  kind(path: string): Promise<Result<FileKind>>;
  /** Reads lines and remembers what was read, so that later edits can tell a changed file. */
  readText(
    path: string,
    options: { firstLine?: number; maxLines?: number; maxChars: number; startChar?: number },
  ): Promise<Result<TextSlice>>;
  readBytes(path: string, maxBytes: number): Promise<Result<Uint8Array>>;
  writeText(path: string, content: string): Promise<Result<FileChange>>;
  appendText(path: string, content: string): Promise<Result<FileChange>>;
  editText(
    path: string,
    edit: { oldText: string; newText: string; replaceAll: boolean; expectedMatches?: number },
  ): Promise<Result<EditOutcome>>;
  move(from: string, to: string): Promise<Result<{ from: string; to: string }>>;
  remove(path: string): Promise<Result<{ path: string; files: number }>>;
};

/** Output with a bounded memory: the head and the tail are kept, the middle is counted. */
export type BoundedText = { text: string; totalBytes: number; cut: boolean };

export type SandboxDenial =
  | { type: "path"; path: string; operation: "write" | "read" }
  | { type: "network"; domain: string };

export type CommandResult = {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  interrupted: boolean;
  stdout: BoundedText;
  stderr: BoundedText;
  durationMs: number;
  denials: SandboxDenial[];
  /** What kept the command in: `bwrap`, `seatbelt` or `none`. */
  sandbox: string;
};

/** Runs shell text in the session's sandbox, with the profile that the permission layer chose. */
export type CommandPort = {
  run(
    command: string,
    options: { cwd: string; timeoutMs: number; network: boolean },
  ): Promise<Result<CommandResult>>;
};

/** `context`: a line beside a match, not one itself. */
export type SearchHit = { path: string; line: number; text: string; context?: boolean };

/** Search and listing, by ripgrep where there is one, else by a walk; ignore files and secrets are left out. */
export type SearchPort = {
  grep(query: {
    pattern: string;
    path: string;
    glob?: string;
    literal: boolean;
    caseSensitive: boolean;
    maxHits: number;
    context?: number;
  }): Promise<Result<{ hits: SearchHit[]; more: boolean }>>;
  glob(query: {
    pattern: string;
    path: string;
    maxFiles: number;
  }): Promise<Result<{ paths: string[]; more: boolean }>>;
  list(query: {
    path: string;
    maxDepth: number;
    maxEntries: number;
  }): Promise<Result<{ entries: { path: string; directory: boolean }[]; more: boolean }>>;
};

/** A tool result or message as it was, whole. */
export type Recalled = { text: string; images: ImageBlock[] };

/** Reads back what a compaction left out, by the id of its call or message. */
export type RecallPort = { read(id: string): Promise<Result<Recalled>> };

/** The limits and walls of one session; the same object is used by the file tools and by the sandbox. */
export type SandboxPolicy = {
  mode: "workspace-write" | "read-only";
  /** Absolute, resolved. The first is the work tree. */
  writableRoots: string[];
  /** Readable without a question though outside the roots (`--add-dir` read-only, toolchains need none). */
  readableRoots: string[];
  home: string;
  /** Host directory that becomes /tmp inside. */
  tmpDir: string;
  /** gitignore-style patterns and absolute paths that must not be read. */
  denyRead: string[];
  /** Secrets the user granted by name for this session; they win over `denyRead`. */
  allowRead: string[];
  /** Names that cannot be written below any root (`.git/hooks`, `.bashrc`, ...). */
  protectedNames: string[];
  network:
    | { type: "none" }
    | {
        type: "gate";
        allow: string[];
        deny: string[];
        hosts: Record<string, string>;
        privateAddresses: string[];
      };
  /** Host sockets granted by path. */
  allowSockets: string[];
  limits: SandboxLimits;
};

export type SandboxLimits = {
  /** Bytes of address space per process are not limited; this is resident memory where the kernel can. */
  memoryMb: number | null;
  processes: number | null;
  tmpMb: number | null;
  /** Bytes of one stream that are kept. */
  outputBytes: number;
};

export type SandboxState =
  | { type: "ready"; kind: "bwrap" | "seatbelt"; missing: string[] }
  | { type: "off"; reason: "flag" }
  | { type: "unavailable"; reason: string; mend: string };

/** A command wants to reach a domain that no list of the policy decides. */
export type DomainRequest = { domain: string; port: number; command: string };

export type SpawnSpec = {
  sessionId: SessionId;
  command: string;
  cwd: string;
  /** The whole environment of the command; nothing is inherited. */
  env: Record<string, string>;
  policy: SandboxPolicy;
  profile: "read-only" | "workspace-write";
  /** Bare, on the user's explicit word only. */
  unsandboxed: boolean;
  timeoutMs: number;
  signal: AbortSignal;
  onOutput?: (text: string) => void;
  /**
   * `compared`: the command was recognised as one that writes git's configuration (`git remote add`); it may,
   * and afterwards only settings that can start nothing stay. Absent = pinned.
   */
  gitConfig?: "pinned" | "compared";
  /** Asked by the gate for an undecided domain; absent = no. Held until it answers. */
  decideDomain?: (request: DomainRequest) => Promise<{ allow: boolean; reason: string }>;
};

/** The OS sandbox of the daemon. */
export type SandboxPort = {
  /** Proves itself once; later calls give the stored answer. */
  probe(): Promise<SandboxState>;
  run(spec: SpawnSpec): Promise<Result<CommandResult>>;
  /** Ends what a session still holds: namespace holder, relay, temp directory. */
  release(sessionId: SessionId): Promise<void>;
};

export type Clock = { now(): Millis };
export type IdSource = { next(): string };
