import { resolve } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

describe("the client's modules", () => {
  it("are these and no more: every client start pays for them", async () => {
    const root = resolve(import.meta.dirname, "../..");
    const { metafile } = await build({
      entryPoints: ["client", "follow-session", "send", "daemon-environment"].map(
        (name) => `src/client/${name}.ts`,
      ),
      absWorkingDir: root,
      outdir: "unwritten",
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "node",
      logLevel: "error",
    });
    const inputs = Object.keys(metafile.inputs).sort();
    const builtins = new Set(
      Object.values(metafile.inputs).flatMap(({ imports }) =>
        imports.filter(({ external }) => external).map(({ path }) => path),
      ),
    );
    expect(inputs).toEqual([
      "src/client/client.ts",
      "src/client/daemon-environment.ts",
      "src/client/follow-session.ts",
      "src/client/link.ts",
      "src/client/reach-daemon.ts",
      "src/client/send.ts",
      "src/client/spawn-daemon.ts",
      "src/protocol/rpc.ts",
      "src/shared/async.ts",
      "src/shared/error.ts",
      "src/shared/line-splitter.ts",
      "src/shared/private-directory.ts",
    ]);
    expect([...builtins].sort()).toEqual(["node:fs", "node:net", "node:path"]);
  });
});
