import { expect, it } from "vitest";
import type { SandboxState } from "../protocol/ports.ts";
import { repeatedProbe } from "./create.ts";

it("looks again for a sandbox that was not there, not at once, and keeps the one it found", async () => {
  let state: SandboxState = { type: "unavailable", reason: "not installed", mend: "Install it." };
  let now = 0;
  let probes = 0;
  const probe = repeatedProbe(
    () => {
      probes++;
      return Promise.resolve(state);
    },
    () => now,
  );
  expect(await probe()).toBe(state);
  state = { type: "ready", kind: "bwrap", missing: [] };
  now = 2999;
  expect(await probe()).toMatchObject({ type: "unavailable" });
  now = 3000;
  expect(await Promise.all([probe(), probe()])).toEqual([state, state]);
  now = 1_000_000;
  expect(await probe()).toBe(state);
  expect(probes).toBe(2);
});
