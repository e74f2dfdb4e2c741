import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The user's settings file of a lab; gives its path. */
export function writeUserConfig(lab: { home: string }, config: object | string): string {
  return put(join(lab.home, ".config", "lathe", "config.json"), config);
}

/** The project's settings file in a lab's workspace; gives its path. */
export function writeProjectConfig(lab: { work: string }, config: object | string | Uint8Array): string {
  return put(join(lab.work, ".lathe", "config.json"), config);
}

function put(path: string, config: object | string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  const raw = typeof config === "string" || config instanceof Uint8Array;
  writeFileSync(path, raw ? config : JSON.stringify(config));
  return path;
}
