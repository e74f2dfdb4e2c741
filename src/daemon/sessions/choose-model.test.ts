import { expect, test } from "vitest";
import { chooseModel, requireKey } from "./choose-model.ts";

const nothing = { environment: {}, credentials: {} };

test("a named model is taken when its key is there", async () => {
  const credentials = { ANTHROPIC_API_KEY: "k" };
  const chosen = await chooseModel({
    ...nothing,
    credentials,
    requested: "anthropic/claude-sonnet-4-6",
  });
  expect(chosen).toMatchObject({ model: { id: "anthropic/claude-sonnet-4-6" }, notice: null });
  expect(() => requireKey(chosen.model, credentials)).not.toThrow();
});

test("without its key, every variable that would do is named", async () => {
  const asked = chooseModel({ ...nothing, requested: "anthropic/claude-sonnet-4-6" });
  await expect(asked).rejects.toMatchObject({
    code: "no_key",
    message: expect.stringMatching(/export ANTHROPIC_API_KEY=.* or .*export ANTHROPIC_AUTH_TOKEN=/),
  });
});

test("a name that fits nothing is an error of its own, and nobody is looked for", async () => {
  const asked = chooseModel({ ...nothing, configured: "made-up" });
  await expect(asked).rejects.toMatchObject({
    code: "no_model",
    message: expect.stringContaining("made-up"),
  });
});
