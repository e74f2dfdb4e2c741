import { expect, it } from "vitest";
import { createPresence } from "./presence.ts";

const GRACE = 30;
const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

it("calls back once a client is gone for the grace, and not before its last connection is", async () => {
  const presence = createPresence(GRACE);
  const calls: string[] = [];
  presence.arrived("c");
  presence.arrived("c");
  presence.whenGone("c", () => calls.push("gone"));
  presence.left("c");
  await wait(GRACE * 3);
  expect([presence.isHere("c"), calls]).toEqual([true, []]);
  presence.left("c");
  expect([presence.isHere("c"), calls]).toEqual([false, []]);
  await wait(GRACE * 3);
  expect(calls).toEqual(["gone"]);
  presence.close();
});

it("a client that comes back in time was never gone", async () => {
  const presence = createPresence(200);
  const calls: string[] = [];
  presence.arrived("c");
  presence.whenGone("c", () => calls.push("gone"));
  presence.left("c");
  presence.arrived("c");
  await wait(300);
  expect(calls).toEqual([]);
  presence.left("c");
  await wait(300);
  expect(calls).toEqual(["gone"]);
});

it("counts from now for a client that is not here; a wish taken back, and the end, call nobody", async () => {
  const presence = createPresence(GRACE);
  const calls: string[] = [];
  const off = presence.whenGone("x", () => calls.push("taken back"));
  presence.whenGone("x", () => calls.push("x"));
  off();
  await wait(GRACE * 3);
  expect(calls).toEqual(["x"]);
  presence.whenGone("y", () => calls.push("y"));
  presence.close();
  await wait(GRACE * 3);
  expect(calls).toEqual(["x"]);
});
