import { describe, expect, it } from "vitest";
import { isUuid, uuidv7 } from "./uuid.ts";

describe("uuidv7", () => {
  it("gives ids that rise and never repeat, over many pools of randomness and a clock that steps back", () => {
    const ids = Array.from({ length: 5000 }, (_, index) => uuidv7(1_800_000_000_000 + (index % 7) * 10));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
    for (const id of ids.slice(0, 300)) {
      expect(isUuid(id)).toBe(true);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
