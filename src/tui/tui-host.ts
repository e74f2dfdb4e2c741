import type { Client } from "../client/client.ts";
import type { ClientContext } from "../protocol/rpc.ts";
import type { Limits, SessionInfo } from "../protocol/session.ts";
import type { TerminalInput, TerminalOutput } from "./terminal/terminal.ts";

export type TuiSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGTSTP" | "SIGCONT";

/** What the screen may use of its process. */
export type TuiHost = {
  version: string;
  cwd: string;
  environment: Record<string, string | undefined>;
  /** Prompts of earlier screens, one JSON string a line. */
  historyFile: string;
  /** A folder for the file of the external editor. */
  tmpDir: string;
  stdin: TerminalInput;
  stdout: TerminalOutput;
  now(): number;
  newId(): string;
  /** Connects to the daemon, starting it when there is none. */
  connect(): Promise<Client>;
  /** What this process lends to a session it opens. */
  context: ClientContext;
  onSignal(signal: TuiSignal, callback: () => void): () => void;
  /** Calls back for an error that nobody caught; the process ends afterwards. */
  onCrash(callback: (error: unknown) => void): () => void;
  /** Stops this process and its job, as Ctrl-Z does; comes back with SIGCONT. */
  stopJob(): void;
};

/** What the command line asked of the screen. */
export type TuiStart = {
  /** The session to show: new, the last one, a named one, a copy; as the flags say. */
  openSession(client: Client): Promise<{ session: SessionInfo; notices: string[] }>;
  /** Model and mode of the flags, on a session that existed before; call after it was opened. */
  adjust(client: Client, session: SessionInfo): Promise<SessionInfo>;
  /** Ask which session to go on with. */
  pick: boolean;
  /** Sent at once; empty: none. */
  prompt: string;
  limits: Partial<Limits>;
};
