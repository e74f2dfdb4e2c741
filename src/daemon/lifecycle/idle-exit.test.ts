import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createIdleExit } from "./idle-exit.ts";

describe("createIdleExit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = (idleMs: number | null) => {
    const state = { idle: false, exits: 0 };
    const idle = createIdleExit({ idleMs, isIdle: () => state.idle, exit: () => void state.exits++ });
    return { state, idle };
  };

  it("has no timer while there is work, one while there is none", () => {
    const { state, idle } = start(1000);
    idle.check();
    expect(vi.getTimerCount()).toBe(0);
    state.idle = true;
    idle.check();
    idle.check();
    expect(vi.getTimerCount()).toBe(1);
    state.idle = false;
    idle.check();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("exits once, the whole time after the last sign of life", () => {
    const { state, idle } = start(1000);
    state.idle = true;
    idle.check();
    vi.advanceTimersByTime(900);
    idle.check();
    vi.advanceTimersByTime(900);
    expect(state.exits).toBe(0);
    vi.advanceTimersByTime(100);
    idle.check();
    vi.advanceTimersByTime(5000);
    expect(state.exits).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("looks again before it exits, and never exits when stopped or told never to", () => {
    const { state, idle } = start(1000);
    state.idle = true;
    idle.check();
    state.idle = false;
    vi.advanceTimersByTime(2000);
    expect(state.exits).toBe(0);
    state.idle = true;
    idle.check();
    idle.stop();
    const never = start(null);
    never.state.idle = true;
    never.idle.check();
    vi.advanceTimersByTime(100_000);
    expect([state.exits, never.state.exits]).toEqual([0, 0]);
  });
});
