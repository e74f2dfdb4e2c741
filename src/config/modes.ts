import { PERMISSION_MODES, type PermissionMode } from "../protocol/permission.ts";

/**
 * Names that other tools of this kind use. `dontAsk` denies what would ask: that is what `ask` does headless.
 * `full` is `bypass`; that it also means `--sandbox none` is the command line's affair.
 */
const OTHER_NAMES: Record<string, PermissionMode> = {
  default: "ask",
  manual: "ask",
  dontask: "ask",
  acceptedits: "accept-edits",
  plan: "read-only",
  readonly: "read-only",
  bypasspermissions: "bypass",
  yolo: "bypass",
  full: "bypass",
};

function other(name: string): PermissionMode | undefined {
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
}

/** A permission mode by our name or the ecosystem's, in any case. */
export function parseMode(text: string): { ok: true; value: PermissionMode } | { ok: false; error: string } {
  const wanted = text.trim().toLowerCase();
  const mode = PERMISSION_MODES.find((name) => name === wanted) ?? other(wanted.replaceAll(/[-_]/g, ""));
  return mode
    ? { ok: true, value: mode }
    : { ok: false, error: `"${text}" is no permission mode; there are ${PERMISSION_MODES.join(", ")}` };
}
