import { runPlain } from "./plain/run-plain.ts";
import { Screen } from "./screens/screen.ts";
import { chooseTheme } from "./theme/theme.ts";
import type { TuiHost, TuiStart } from "./tui-host.ts";

/**
 * The interactive screen; resolves with the exit code when the user has left, the terminal as it was before.
 * A dumb terminal, an output that is none, or `LATHE_PLAIN=1` (screen readers) gets append-only text.
 */
export async function runTui(host: TuiHost, start: TuiStart): Promise<number> {
  const { environment, stdout, stdin } = host;
  const plain =
    stdout.isTTY !== true ||
    stdin.isTTY !== true ||
    environment.TERM === "dumb" ||
    Boolean(environment.LATHE_PLAIN);
  if (plain) return await runPlain(host, start);
  return await new Screen(host, start, chooseTheme(environment)).run();
}
