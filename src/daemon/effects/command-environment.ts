import { commandVariables } from "../../config/credentials.ts";

/**
 * The environment of commands (CONVENTIONS 5.12): the allow-listed part of what the client lent, the variables
 * of the config, and our markers. Never a base URL, a proxy or a key of the client.
 */
export function commandEnvironment(
  lent: Record<string, string>,
  configured: Record<string, string>,
  home: string,
): Record<string, string> {
  return {
    npm_config_update_notifier: "false",
    ...commandVariables(lent),
    ...configured,
    HOME: home,
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    LATHE: "1",
    AGENT: "lathe",
    AI_AGENT: "lathe",
  };
}
