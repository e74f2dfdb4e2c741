import { describe, expect, it } from "vitest";
import { daemonEnvironment } from "./daemon-environment.ts";

describe("daemonEnvironment", () => {
  it("keeps places and language, and neither keys nor what steers Node", () => {
    const given = {
      HOME: "/home/u",
      PATH: "/bin",
      LC_ALL: "C.UTF-8",
      XDG_STATE_HOME: "/s",
      LATHE_LOG: "debug",
      LATHE_API_KEY: "secret",
      XDG_SESSION_TOKEN: "secret",
      ANTHROPIC_API_KEY: "secret",
      AWS_SECRET_ACCESS_KEY: "secret",
      NODE_OPTIONS: "--inspect",
      LD_PRELOAD: "/evil.so",
      SSH_AUTH_SOCK: "/tmp/agent",
      TMPDIR: undefined,
    };
    expect(daemonEnvironment(given)).toEqual({
      HOME: "/home/u",
      PATH: "/bin",
      LC_ALL: "C.UTF-8",
      XDG_STATE_HOME: "/s",
      LATHE_LOG: "debug",
    });
  });
});
