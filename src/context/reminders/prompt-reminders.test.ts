import { expect, it } from "vitest";
import { PERMISSION_MODES } from "../../protocol/permission.ts";
import { promptReminders } from "./prompt-reminders.ts";

const now = Date.UTC(2026, 5, 30, 22, 5);

it("tells the time where the user is", () => {
  const at = (timeZone?: string) => promptReminders({ now, timeZone, mode: "ask", toldMode: "ask" });
  expect(at("Australia/Adelaide")).toEqual([
    "Now: 2026-07-01 07:35 (Wednesday), Australia/Adelaide, UTC+09:30.",
  ]);
  expect(at("UTC")).toEqual(["Now: 2026-06-30 22:05 (Tuesday), UTC."]);
  expect(at("Europe/London")).toEqual(["Now: 2026-06-30 23:05 (Tuesday), Europe/London, UTC+01:00."]);
  expect(at("not a zone")).toEqual(at());
});

it("tells the mode at first and when it changed, not again", () => {
  for (const mode of PERMISSION_MODES) {
    const told = (toldMode: string | null) =>
      promptReminders({ now, timeZone: "UTC", mode, toldMode }).slice(1);
    expect(told(null)).toEqual([expect.stringMatching(`^The permission mode is ${mode}\\. \\w`)]);
    expect(told("other")).toEqual([expect.stringMatching(`changed from other to ${mode}\\. \\w`)]);
    expect(told(mode)).toEqual([]);
  }
});

it("passes on what else changed", () => {
  const texts = promptReminders({
    now,
    timeZone: "UTC",
    mode: "ask",
    toldMode: "ask",
    changes: ["/b is a root now."],
  });
  expect(texts.slice(1)).toEqual(["/b is a root now."]);
});
