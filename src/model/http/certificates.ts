import { readFile, stat } from "node:fs/promises";
import { AppError, errorMessage } from "../../shared/error.ts";

/** Certificate authorities beside or instead of the built-in ones; `key` changes when a file does. */
export type Authorities = { ca: string[] | null; key: string };

/**
 * Reads what SSL_CERT_FILE (replaces the built-in authorities) and NODE_EXTRA_CA_CERTS (adds to them) name.
 * Throws AppError `bad_certificates` naming the variable when a file cannot be read.
 */
export async function readAuthorities(environment: Record<string, string>): Promise<Authorities> {
  const base = await certificateFile(environment, "SSL_CERT_FILE");
  const extra = await certificateFile(environment, "NODE_EXTRA_CA_CERTS");
  if (!base && !extra) return { ca: null, key: "" };
  const roots = base ? [base.text] : process.getBuiltinModule("node:tls").rootCertificates;
  return { ca: [...roots, ...(extra ? [extra.text] : [])], key: `${base?.key ?? ""}|${extra?.key ?? ""}` };
}

async function certificateFile(
  environment: Record<string, string>,
  name: string,
): Promise<{ text: string; key: string } | null> {
  const path = environment[name];
  if (!path) return null;
  try {
    const { mtimeMs } = await stat(path);
    return { text: await readFile(path, "utf8"), key: `${path}@${mtimeMs}` };
  } catch (error) {
    const message = `${name} names ${path}, which cannot be read: ${errorMessage(error)}`;
    throw new AppError("bad_certificates", message, { cause: error });
  }
}
