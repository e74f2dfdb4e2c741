import { readFileSync } from "node:fs";
import { withDotenv } from "../../config/credentials.ts";
import type { ClientContext } from "../../protocol/rpc.ts";

/** What a client lends to a session, with what the folder adds to it; every key is hidden from the log. */
export type Lend = (context: ClientContext, cwd: string) => ClientContext;

const MAX_DOTENV_CHARS = 64 * 1024;

/** A trusted folder's `.env` adds keys and the model's name where the client has none (CONTRACT E3). */
export function createLending(ports: {
  isTrusted(path: string): boolean;
  hideSecrets(secrets: readonly string[]): void;
}): Lend {
  return (context, cwd) => {
    const lent = withDotenv(context, { cwd, trusted: ports.isTrusted(cwd), readFile: readDotenv });
    ports.hideSecrets(Object.values(lent.credentials));
    return lent;
  };
}

/** A file that is not there, cannot be read or is too large for one lends nothing. */
function readDotenv(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8");
    return text.length <= MAX_DOTENV_CHARS ? text : null;
  } catch {
    return null;
  }
}
