import { expect, it } from "vitest";
import { commandEnvironment } from "./command-environment.ts";

it("gives commands no address, proxy or key of the client, but a home and the markers", () => {
  const lent = {
    PATH: "/bin",
    HOME: "/elsewhere",
    ANTHROPIC_BASE_URL: "http://a",
    OPENAI_BASE_URL: "http://u:password@b",
    HTTPS_PROXY: "http://u:password@c",
    OPENAI_API_KEY: "k",
  };
  expect(commandEnvironment(lent, { MINE: "1" }, "/home/u")).toEqual({
    PATH: "/bin",
    MINE: "1",
    HOME: "/home/u",
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    LATHE: "1",
    AGENT: "lathe",
    AI_AGENT: "lathe",
    npm_config_update_notifier: "false",
  });
});
