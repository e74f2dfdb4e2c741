import { describe, expect, it } from "vitest";
import type { Delta, Fact, NumberedFact } from "../../protocol/event.ts";
import type { Message, ToolResultBlock } from "../../protocol/message.ts";
import type { Approval } from "../../protocol/permission.ts";
import type { SessionInfo, SessionSnapshot } from "../../protocol/session.ts";
import { compose, NOTHING_YET } from "../blocks/compose.ts";
import { pictureOf } from "../screens/picture.ts";
import { newUi } from "../screens/ui.ts";
import { UNICODE } from "../theme/glyphs.ts";
import { plainText } from "../theme/theme.ts";
import { reduce } from "./reduce.ts";
import { emptyView, type View, type ViewEvent } from "./view.ts";

const usage = { input: 1200, output: 80, cacheRead: 300, cacheWrite: null, cost: 0.0123 };
const session: SessionInfo = {
  id: "01890000-0000-7000-8000-000000000001",
  title: "a title",
  cwd: "/home/me/project",
  roots: ["/home/me/project"],
  model: "anthropic/some-model",
  mode: "ask",
  status: "idle",
  head: null,
  parentSessionId: null,
  parentRunId: null,
  parentCallId: null,
  sandbox: "on",
  usage,
  messageCount: 0,
  createdAt: 0,
  updatedAt: 0,
};
const snapshot: SessionSnapshot = {
  session,
  seq: 0,
  phase: "idle",
  runId: null,
  calls: [],
  queue: [],
  approvals: [],
  tools: [],
  sandbox: { type: "ready", kind: "bwrap", missing: [] },
  streaming: null,
};

const opened = (more: Partial<SessionSnapshot> = {}): ViewEvent => ({
  type: "snapshot",
  snapshot: { ...snapshot, ...more },
  hasEarlier: false,
  resumed: false,
});
let seq = 0;
const fact = (one: Fact): ViewEvent => ({
  type: "fact",
  fact: { seq: ++seq, at: 1000, fact: one } satisfies NumberedFact,
});
const delta = (one: Delta): ViewEvent => ({ type: "delta", delta: one });
const text = (words: string): ViewEvent => delta({ type: "text", effectId: "e1", text: words });

function message(kind: Message["kind"], content: Message["content"]): ViewEvent {
  const role = kind === "reply" ? "assistant" : "user";
  const origin = kind === "reply" ? "model" : "user";
  return fact({
    type: "message_added",
    message: {
      id: "m",
      sessionId: session.id,
      parentId: null,
      runId: "r",
      role,
      kind,
      origin,
      content,
      createdAt: 0,
    },
  });
}

const call = { id: "c1", name: "bash", input: { command: "npm test" } };
const result = (status: ToolResultBlock["status"], words: string): ToolResultBlock => ({
  type: "tool_result",
  callId: "c1",
  status,
  content: [{ type: "text", text: words }],
});
const approval: Approval = {
  id: "a1",
  sessionId: session.id,
  runId: "r",
  callId: "c1",
  kind: "tool",
  tool: "bash",
  binding: "b",
  title: "npm test",
  detail: '{"command": "npm test"}',
  input: { command: "npm test" },
  reason: "it is not known to be harmless",
  parts: ["npm test"],
  suggestions: [{ effect: "allow", tool: "bash", match: "npm test", scope: "user", source: "approval" }],
  onceOnly: false,
  createdAt: 0,
  status: "open",
};

const run = (events: ViewEvent[], from: View = emptyView("1.2.3")): View => events.reduce(reduce, from);

function screen(view: View, width = 80, rows = 40): string {
  const frame = { width: width - 1, glyphs: UNICODE };
  const place = { columns: width, rows, last: NOTHING_YET, now: 5000 };
  const { picture } = pictureOf(view, newUi([]), place, frame);
  return [...picture.commit, "-- live --", ...picture.live]
    .map((row) => (typeof row === "string" ? row : plainText(row).trimEnd()))
    .join("\n");
}

const written = (view: View): string =>
  compose(view.finished, NOTHING_YET, { width: 79, glyphs: UNICODE }).rows.map(plainText).join("\n");

const TURN: ViewEvent[] = [
  fact({ type: "turn_started", runId: "r", cause: "prompt", interactive: true }),
  message("prompt", [{ type: "text", text: "do it" }]),
];
const END = fact({
  type: "turn_finished",
  runId: "r",
  outcome: { type: "done" },
  text: "",
  steps: 2,
  toolCalls: 1,
  durationMs: 4200,
  apiMs: 0,
  usage,
  denials: [],
});

describe("the view", () => {
  it("is the same from facts alone as from streaming", () => {
    const answer = "# Title\n\nSome **text**.\n\n- one\n- two\n\nThe end.";
    const facts = [opened(), ...TURN, message("reply", [{ type: "text", text: answer }]), END];
    const streaming = [
      opened(),
      ...TURN,
      ...answer.split(/(?<=\s)/).map(text),
      message("reply", [{ type: "text", text: answer }]),
      END,
    ];
    expect(written(run(streaming))).toBe(written(run(facts)));
  });

  it("keeps nothing of what the screen has taken", () => {
    let view = run([opened(), ...TURN]);
    for (let index = 0; index < 500; index++) {
      view = run([text(`paragraph ${index}\n\n`)], view);
      view = reduce(view, { type: "taken", count: view.finished.length });
    }
    expect(view.finished).toEqual([]);
    expect(view.streaming?.text.tail.length).toBeLessThan(50);
  });

  it("goes on from a snapshot without repeating or losing text", () => {
    const half = run([opened(), ...TURN, text("one two\n\nthr")]);
    const again = run(
      [
        { type: "lost", reason: "closed" },
        opened({
          phase: "calling_model",
          streaming: { effectId: "e1", text: "one two\n\nthree four\n\nfi", thinking: "", toolCalls: [] },
        }),
        { type: "reconnected" },
        text("ve"),
        message("reply", [{ type: "text", text: "one two\n\nthree four\n\nfive" }]),
      ],
      half,
    );
    const all = written(again);
    for (const word of ["one two", "three four", "five"]) expect(all.split(word)).toHaveLength(2);
    expect(all).toContain("connecting again");
  });

  it("says that a cut answer starts again", () => {
    const view = run([
      opened(),
      ...TURN,
      text("half an ans"),
      delta({ type: "restarted", effectId: "e1" }),
      text("whole"),
    ]);
    expect(written(view)).toContain("starts again");
    expect(screen(view)).toContain("whole");
  });

  it("writes calls in the order of the model, whatever ends first", () => {
    const second = { ...call, id: "c2", input: { command: "second" } };
    const view = run([
      opened(),
      ...TURN,
      fact({
        type: "call_changed",
        runId: "r",
        call: { ...call, status: "running", effectId: "x", startedAt: 0 },
      }),
      fact({
        type: "call_changed",
        runId: "r",
        call: { ...second, status: "running", effectId: "y", startedAt: 0 },
      }),
      fact({
        type: "call_changed",
        runId: "r",
        call: { ...second, status: "done", result: result("ok", "2"), finishedAt: 1 },
      }),
    ]);
    expect(written(view)).not.toContain("second");
    const done = run(
      [
        fact({
          type: "call_changed",
          runId: "r",
          call: { ...call, status: "done", result: result("error", "1"), finishedAt: 1 },
        }),
      ],
      view,
    );
    expect(written(done)).toMatch(/✗ 1 bash npm test failed[\s\S]*✓ 2 bash second/);
  });

  it("draws the first screen", () => {
    expect(screen(run([opened()]))).toMatchInlineSnapshot(`
      "lathe 1.2.3 · /home/me/project
      anthropic/some-model · mode ask · sandbox bwrap
      /help for help · /exit, Ctrl-D or Ctrl-C to quit

      -- live --
      ›
        anthropic/some-model · ask · sandbox bwrap · 1.5k in, 80 out, $0.0123"
    `);
  });

  it.each([40, 80, 200])("draws a turn at %i columns", (width) => {
    const table =
      "| name | what it is |\n|---|---|\n| alpha | the first letter of the Greek alphabet, with words |\n\n";
    const view = run([
      opened(),
      ...TURN,
      delta({ type: "thinking", effectId: "e1", text: "Let me see." }),
      text(`Here is a table:\n\n${table}\`\`\`ts\nconst a = 1;\n\`\`\`\n\nand more te`),
      fact({
        type: "call_changed",
        runId: "r",
        call: { ...call, status: "awaiting_approval", approvalId: "a1", effectId: null },
      }),
      fact({ type: "approval_requested", approval }),
    ]);
    expect(screen(view, width)).toMatchSnapshot();
  });

  it("draws the states of calls, a diff, the checklist, waiting prompts and how a turn ended", () => {
    const done = (
      id: string,
      name: string,
      input: Record<string, string>,
      what: ToolResultBlock,
    ): ViewEvent =>
      fact({
        type: "call_changed",
        runId: "r",
        call: {
          id,
          name,
          input,
          status: "done",
          result: { ...what, callId: id },
          startedAt: 0,
          finishedAt: 2500,
        },
      });
    const patch = "--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n zero\n-one\n+two\n three\n";
    const view = run([
      opened(),
      ...TURN,
      done("d1", "read_file", { path: "a.ts" }, result("ok", "one\ntwo\nthree\nfour\nfive\nsix\nseven")),
      done(
        "d2",
        "edit_file",
        { path: "a.ts" },
        { ...result("ok", "edited"), display: { type: "diff", path: "a.ts", patch, added: 1, removed: 1 } },
      ),
      done(
        "d3",
        "bash",
        { command: "false" },
        {
          ...result("error", "[exit code: 1]"),
          display: {
            type: "command",
            command: "false",
            exitCode: 1,
            signal: null,
            durationMs: 1200,
            sandbox: "bwrap",
          },
        },
      ),
      done("d4", "bash", { command: "rm -rf /" }, result("denied", "Permission denied")),
      done("d5", "bash", { command: `echo ${"long ".repeat(60)}` }, result("interrupted", "")),
      fact({
        type: "call_changed",
        runId: "r",
        call: { ...call, status: "running", effectId: "x", startedAt: 2000 },
      }),
      delta({ type: "progress", callId: "c1", text: "12 tests passed" }),
      fact({
        type: "todos_changed",
        items: [
          { id: "1", text: "look", status: "completed" },
          { id: "2", text: "mend", status: "in_progress" },
          { id: "3", text: "check", status: "pending" },
        ],
      }),
      fact({ type: "prompt_queued", prompt: { id: "q", delivery: "queue", text: "then that", at: 0 } }),
    ]);
    expect(screen(view)).toMatchSnapshot();
    const failed = fact({
      ...(END as { fact: { fact: Extract<Fact, { type: "turn_finished" }> } }).fact.fact,
      outcome: { type: "failed", error: { kind: "server", message: "the server answered 500" } },
    });
    expect(screen(run([failed], { ...view, finished: [], calls: [] }))).toMatchSnapshot();
  });

  it("closes a question that somebody else answered", () => {
    const asked = run([opened(), ...TURN, fact({ type: "approval_requested", approval })]);
    expect(screen(asked)).toContain("Enter is no");
    const answer = { type: "allow", scope: "task" } as const;
    const resolved = run(
      [fact({ type: "approval_resolved", approval: { ...approval, status: "approved", answer } })],
      asked,
    );
    expect(screen(resolved)).not.toContain("Enter is no");
    expect(written(resolved)).toContain("allowed for this task");
  });

  it("offers no lasting yes where only this call may be allowed", () => {
    const view = run([
      opened(),
      ...TURN,
      fact({ type: "approval_requested", approval: { ...approval, onceOnly: true } }),
    ]);
    expect(screen(view)).not.toMatch(/for this task|always/);
  });

  it("never draws more rows than the window has", () => {
    const long = { ...approval, input: { command: "line\n".repeat(100) } };
    const view = run([
      opened(),
      ...TURN,
      text("- item\n".repeat(80)),
      fact({ type: "approval_requested", approval: long }),
    ]);
    for (const rows of [6, 10, 24]) {
      const place = { columns: 80, rows, last: NOTHING_YET, now: 0 };
      const { picture } = pictureOf(view, newUi([]), place, { width: 79, glyphs: UNICODE });
      expect(picture.live.length).toBeLessThan(rows);
      expect(picture.caret.row).toBeLessThan(picture.live.length);
    }
  });

  it("draws nothing that is a control sequence", () => {
    const evil = "\x1b]0;t\x07\x1b[2Jx\u009b31m\x07";
    const view = run([
      opened({ session: { ...session, model: evil, cwd: evil } }),
      ...TURN,
      message("prompt", [{ type: "text", text: evil }]),
      text(evil),
      fact({ type: "notice", level: "error", code: "x", text: evil }),
      fact({
        type: "call_changed",
        runId: "r",
        call: {
          ...call,
          name: evil,
          input: { command: evil },
          status: "running",
          effectId: "x",
          startedAt: 0,
        },
      }),
      fact({
        type: "approval_requested",
        approval: {
          ...approval,
          title: evil,
          detail: evil,
          input: { [evil]: evil },
          diff: evil,
          reason: evil,
        },
      }),
      fact({ type: "prompt_queued", prompt: { id: "q", delivery: "steer", text: evil, at: 0 } }),
      fact({ type: "todos_changed", items: [{ id: "1", text: evil, status: "in_progress" }] }),
      delta({ type: "progress", callId: "c1", text: evil }),
      fact({ type: "retry_scheduled", attempt: 1, at: 0, error: { kind: "server", message: evil } }),
    ]);
    expect(screen(view)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    const failed = fact({
      ...(END.type === "fact" ? END.fact.fact : { type: "session_cleared" }),
      outcome: { type: "failed", error: { kind: "server", message: evil } },
    } as Fact);
    expect(screen(run([failed], view))).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});
