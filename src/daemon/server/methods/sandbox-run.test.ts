import { expect, it } from "vitest";
import type { SpawnSpec } from "../../../protocol/ports.ts";
import { openDaemonLab } from "../../testing/daemon-lab.ts";

it("sandbox.run gives the command the bash tool's environment, and ends it when its client is gone", async () => {
  const specs: SpawnSpec[] = [];
  let started: () => void = () => undefined;
  const running = new Promise<void>((done) => {
    started = done;
  });
  const lab = await openDaemonLab(
    () => ({ text: "ok" }),
    async (spec) => {
      specs.push(spec);
      started();
      await new Promise((done) => spec.signal.addEventListener("abort", done));
      return { exitCode: null, interrupted: true };
    },
  );
  try {
    const client = lab.client();
    const answered = client.call("sandbox.run", {
      command: "sleep 1000",
      cwd: lab.cwd,
      policy: {},
      environment: { PATH: "/bin", OPENAI_BASE_URL: "http://u:password@h", HTTPS_PROXY: "http://p" },
    });
    await running;
    client.close();
    expect((await answered).result.interrupted).toBe(true);
    const env = specs[0]?.env ?? {};
    expect(env).toMatchObject({ PATH: "/bin", HOME: lab.folders.paths.home, TERM: "dumb", LATHE: "1" });
    expect(Object.keys(env)).not.toContain("OPENAI_BASE_URL");
    expect(Object.keys(env)).not.toContain("HTTPS_PROXY");
  } finally {
    await lab.close();
  }
});
