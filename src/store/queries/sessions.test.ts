import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionInfo } from "../../protocol/session.ts";
import { sampleStored } from "../testing/samples.ts";
import { type TemporaryStore, temporaryStore } from "../testing/temporary-store.ts";

let temporary: TemporaryStore;
beforeEach(async () => {
  temporary = await temporaryStore();
});
afterEach(() => temporary.remove());

const add = (id: string, changes: Partial<SessionInfo>) =>
  temporary.store.createSession(sampleStored(id, changes), [], 1);
const list = async (query: Partial<Parameters<TemporaryStore["store"]["listSessions"]>[0]>) =>
  (await temporary.store.listSessions({ limit: 100, ...query })).map((session) => session.id);

describe("listSessions", () => {
  it("gives the newest first, of one folder if asked, subagents only if asked", async () => {
    await add("old", { updatedAt: 1, cwd: "/a" });
    await add("new", { updatedAt: 3, cwd: "/b" });
    await add("middle", { updatedAt: 2, cwd: "/a" });
    await add("child", { updatedAt: 4, cwd: "/a", parentSessionId: "old" });
    expect(await list({})).toEqual(["new", "middle", "old"]);
    expect(await list({ cwd: "/a" })).toEqual(["middle", "old"]);
    expect(await list({ cwd: "/" })).toEqual([]);
    expect(await list({ cwd: "/a", includeChildren: true })).toEqual(["child", "middle", "old"]);
    expect(await list({ limit: 1 })).toEqual(["new"]);
    expect(await list({ limit: 0 })).toEqual([]);
  });

  it("finds words of title and folder in any case, and the beginning of an id", async () => {
    await add("0198-a", { title: "Fix the ÜBERLAUF_100% case", cwd: "/srv/Shop" });
    await add("0199-b", { title: "Other", cwd: "/srv/blog" });
    expect(await list({ search: "überlauf" })).toEqual(["0198-a"]);
    expect(await list({ search: "100%" })).toEqual(["0198-a"]);
    expect(await list({ search: "%" })).toEqual(["0198-a"]);
    expect(await list({ search: "other_" })).toEqual([]);
    expect(await list({ search: "shop" })).toEqual(["0198-a"]);
    expect(await list({ search: "0199" })).toEqual(["0199-b"]);
    expect((await list({ search: "" })).length).toBe(2);
  });

  it("pages through many without leaving one out", async () => {
    for (let index = 0; index < 450; index++) {
      await add(`s${String(index).padStart(3, "0")}`, {
        updatedAt: Math.floor(index / 3),
        title: index % 2 ? "odd" : "even",
      });
    }
    for (const search of [undefined, "odd"]) {
      const seen: string[] = [];
      let before: number | undefined;
      for (;;) {
        const page = await temporary.store.listSessions({ limit: 50, before, search });
        if (page.length === 0) break;
        expect(page.length).toBeLessThan(54);
        seen.push(...page.map((session) => session.id));
        before = page.at(-1)?.updatedAt;
      }
      expect(seen.length).toBe(search ? 225 : 450);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual([...seen].sort().reverse());
    }
  });
});
