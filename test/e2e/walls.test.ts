import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../support/case.ts";
import { newResults } from "../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

// Not below /tmp: of that, commands have one of their own, and what they write there is nobody's loss.
const shelf = resolve("node_modules/.cache");
mkdirSync(shelf, { recursive: true });

const MODES = ["ask", "accept-edits", "auto", "read-only", "bypass"];

describe("the walls around bash", () => {
  it.each(MODES)("hold in mode %s, and the model is told", async (mode) => {
    let accepted = 0;
    const listener = createServer((socket) => {
      accepted += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
    const { port } = listener.address() as { port: number };
    const python = (host: string, at: number) =>
      `python3 -c "import socket; socket.create_connection(('${host}', ${at}), 3); print('CONNECTED')"`;
    // The words of the file layer and of the sandbox itself are on trial, so nothing here is a denied rule.
    at = await openCase(
      (_, index) => {
        if (index > 0) return { text: "ok" };
        const commands = [
          `echo x > ${at?.outside}/out.txt`,
          "echo x > .git/hooks/pre-commit",
          "echo x >> ~/.bashrc",
          python("192.0.2.1", 80),
          "python3 -c \"import urllib.request as u; u.urlopen('http://walls.invalid/', timeout=5); print('CONNECTED')\"",
          python("127.0.0.1", port),
          "exec 3<>/dev/tcp/93.184.216.34/80 && echo CONNECTED",
        ];
        return { calls: commands.map((command) => ({ name: "bash", input: { command } })) };
      },
      { below: shelf },
    );
    mkdirSync(join(at.work, ".git", "hooks"), { recursive: true });
    writeFileSync(join(at.home, ".bashrc"), "# mine\n");
    const run = await at.ask("go", ["--permission-mode", mode, "--allowed-tools", "bash"]);
    listener.close();
    expect(existsSync(join(at.outside, "out.txt"))).toBe(false);
    expect(existsSync(join(at.work, ".git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(at.home, ".bashrc"), "utf8")).toBe("# mine\n");
    expect(accepted).toBe(0);
    const results = newResults(at.model.requests[1]);
    expect(results).toHaveLength(7);
    for (const [index, { text, isError }] of results.entries()) {
      expect(isError).toBe(true);
      expect(text).not.toMatch(/^CONNECTED$/m);
      // A loopback of its own, where nothing listens, is an ordinary refusal.
      // In bypass mode, public names are free: whether they resolve is not ours to test.
      if (index !== 5 && !(mode === "bypass" && index === 4))
        expect(text).toMatch(/sandbox|denied|protected/i);
    }
    expect([0, 60]).toContain(run.code);
    await at.check();
  });
});
