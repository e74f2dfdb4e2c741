import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RecordedRequest, Turn } from "../../../src/demo/scripted-model/types.ts";
import { type Case, openCase } from "../../support/case.ts";
import { until } from "../../support/lab.ts";
import { noisePng, pngSize } from "../../support/png.ts";
import { allResults, callIds, lastText, messagesOf, newResults } from "../../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const bash = (command: string) => ({ name: "bash", input: { command } });
const read = (path: string) => ({ name: "read_file", input: { path } });
const running = (lab: Case, text: string) => lab.leftovers().filter(({ command }) => command.includes(text));
const images = (request: RecordedRequest | undefined): string[] =>
  newResults(request).flatMap((result) => result.images);

describe("kind 4: history integrity", () => {
  it("H21 answers both calls once after a hard kill, and runs nothing again", async () => {
    at = await openCase(
      (_, index): Turn =>
        index === 0 ? { calls: [bash("echo one > one.txt"), bash("sleep 60.552")] } : { text: "ok" },
    );
    const first = at.start(["-p", "begin", "--permission-mode", "bypass"]);
    const one = join(at.work, "one.txt");
    await until(
      "one.txt is there and the other command runs",
      () => existsSync(one) && running(at as Case, "60.552").length > 0,
    );
    await new Promise((done) => setTimeout(done, 1000));
    const written = statSync(one).mtimeMs;
    process.kill((await at.daemonPid()) ?? 0, "SIGKILL");
    first.child.kill("SIGKILL");
    await until("the command died with its daemon", () => running(at as Case, "60.552").length === 0, 10_000);
    const run = await at.ask("state?", ["--continue"]);
    expect(run).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(statSync(one).mtimeMs).toBe(written);
    expect(running(at, "60.552")).toEqual([]);
    const request = at.model.requests.at(-1);
    expect(lastText(request)).toContain("state?");
    const results = allResults(request);
    expect(results.map(({ id }) => id)).toEqual(callIds(request));
    expect(results).toHaveLength(2);
    expect(results[1]?.text).toMatch(/unknown|no outcome|not known/i);
    await at.check(["one.txt"]);
  });

  it("H22 does not let a broken picture poison the session", async () => {
    at = await openCase((request): Turn => {
      const all = messagesOf(request).flatMap(() => allResults(request).flatMap((result) => result.images));
      if (all.length > 0) return { error: { status: 400, message: "image data cannot be decoded" } };
      return request.index === 0 ? { calls: [read("broken.png")] } : { text: "ok" };
    });
    const whole = noisePng(64, 64);
    const middle = whole.length >> 1;
    at.put("broken.png", Buffer.concat([whole.subarray(0, middle), whole.subarray(middle + 40)]));
    expect(await at.ask("look")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(await at.ask("again", ["--continue"])).toMatchObject({ code: 0, json: { result: "ok" } });
    const held = at.model.requests.filter((request) => images(request).length > 0);
    expect(held.length).toBeLessThanOrEqual(1);
    expect(allResults(at.model.requests.at(-1))[0]?.text).toMatch(/image|picture|PNG/i);
    await at.check();
  });

  it("H22 takes back a whole picture that the vendor refuses, once and for good", async () => {
    let refusals = 0;
    at = await openCase((request): Turn => {
      if (allResults(request).some((result) => result.images.length > 0)) {
        refusals += 1;
        return {
          error: {
            status: 400,
            type: "invalid_request_error",
            message: "messages.2: Could not process image",
          },
        };
      }
      return request.index === 0 ? { calls: [read("fine.png")] } : { text: "ok" };
    });
    at.put("fine.png", noisePng(64, 64));
    expect(await at.ask("look")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(allResults(at.model.requests.at(-1))[0]?.text).toContain("fine.png");
    expect(await at.ask("again", ["--continue"])).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(refusals).toBe(1);
    await at.run(["daemon", "stop"]);
    expect(await at.ask("after a restart", ["--continue"])).toMatchObject({
      code: 0,
      json: { result: "ok" },
    });
    expect(refusals).toBe(1);
    await at.check();
  });

  it("H23 sends no picture above the vendor's size", async () => {
    at = await openCase((request): Turn => {
      const sent = allResults(request).flatMap((result) => result.images);
      const tooBig = sent.some((image) => pngSize(image).width > 2000 || image.length > 5 * 1024 * 1024);
      if (tooBig) return { error: { status: 400, message: "image exceeds the limit" } };
      return request.index === 0 ? { calls: [read("wide.png"), read("line.png")] } : { text: "ok" };
    });
    const sizes = { "wide.png": { width: 2600, height: 120 }, "line.png": { width: 9000, height: 10 } };
    for (const [name, { width, height }] of Object.entries(sizes)) at.put(name, noisePng(width, height));
    expect(await at.ask("look")).toMatchObject({ code: 0 });
    expect(await at.ask("again", ["--continue"])).toMatchObject({ code: 0 });
    expect(at.model.requests).toHaveLength(3);
    const results = newResults(at.model.requests[1]);
    for (const [index, { width, height }] of Object.values(sizes).entries()) {
      const [image] = results[index]?.images ?? [];
      if (image === undefined) expect(results[index]?.text).toMatch(new RegExp(`${width}.*${height}`));
      else {
        const sent = pngSize(image);
        expect(sent.width).toBeLessThanOrEqual(2000);
        expect(Math.abs(sent.height - Math.max(1, (height * sent.width) / width))).toBeLessThanOrEqual(1);
      }
    }
    await at.check();
  });

  it("H24 goes on after an interrupt in a command", async () => {
    at = await openCase([{ calls: [bash("sleep 60.551")] }, { text: "ok" }]);
    const first = at.start(["-p", "begin", "--output-format", "json", "--permission-mode", "bypass"]);
    await until("the command runs", () => running(at as Case, "60.551").length > 0);
    const asked = performance.now();
    first.child.kill("SIGINT");
    const run = at.keep(await first.result);
    expect(performance.now() - asked).toBeLessThan(5000);
    expect(run.code).toBe(130);
    expect(running(at, "60.551")).toEqual([]);
    expect(await at.ask("go on", ["--continue"])).toMatchObject({ code: 0, json: { result: "ok" } });
    const results = allResults(at.model.requests[1]);
    expect(results).toHaveLength(1);
    expect(results[0]?.text).toMatch(/interrupt/i);
    expect(lastText(at.model.requests[1])).toContain("go on");
    await at.check();
  });
});
