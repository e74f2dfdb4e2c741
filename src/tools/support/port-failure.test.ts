import { expect, it } from "vitest";
import { portFailure } from "./output.ts";

it("a failure is an error, but what is not run for want of a sandbox is denied", () => {
  expect(portFailure({ code: "io", message: "broken" })).toMatchObject({ status: "error" });
  expect(portFailure({ code: "no_sandbox", message: "no bwrap" })).toMatchObject({
    status: "denied",
    content: [{ type: "text", text: "Error: no bwrap" }],
  });
});
