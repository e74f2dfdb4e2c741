import { describe, expect, it } from "vitest";
import { AppError } from "../../shared/error.ts";
import { estimateTokens } from "../estimate.ts";
import { buildSystemPrompt, type Prefix, pinPrefix, readPrefix, type SystemPromptInput } from "./build.ts";
import identity from "./identity.md";
import rules from "./rules.md";
import toolNotes from "./tool-notes.md";
import { USER_MEMORY_TOKENS } from "./user-memory.ts";

const base: SystemPromptInput = {
  startedAt: Date.UTC(2026, 11, 1, 23, 30),
  timeZone: "Europe/Berlin",
  platform: "linux",
  release: "6.18",
  hostName: "box",
  nodeVersion: "v20.20.2",
  cwd: "/w",
  roots: ["/w"],
  soul: null,
  user: null,
  mcp: null,
  skills: [],
  instructions: [],
};
const full: SystemPromptInput = {
  ...base,
  roots: ["/w", "/other"],
  soul: "Calm.\n",
  user: "Likes tests.",
  mcp: { servers: ["files", "web"] },
  skills: [
    { name: "zip", description: "Packs\n  things" },
    { name: "audit", description: "Looks closely" },
  ],
  instructions: [
    { path: "/w/AGENTS.md", text: "RULE-MARK\n" },
    { path: "/w/a/CLAUDE.md", text: "nearer" },
  ],
  appendSystemPrompt: "The end.",
};

describe("buildSystemPrompt", () => {
  it("has the sections in order, joined by blank lines", () => {
    const marks = [
      "You are lathe",
      "\n\n# Environment\nSession started: 2026-12-02 (Wednesday)\nOS: linux 6.18, host box\nNode.js: v20.20.2\nWorking directory: /w\nRoots: /w, /other\n\n",
      "# Rules\n",
      "\n\n# Personality\nCalm.\n\n",
      "# The user\nLikes tests.\n\n",
      "# Tools\n",
      "\n\n# MCP\nMore tools come from MCP servers (files, web)",
      "\n\n# Skills\nLoad a skill with load_skill before work that it describes:\n  - audit: Looks closely\n  - zip: Packs things\n\n",
      "# Project Context\n",
      "\n\n## /w/AGENTS.md\nRULE-MARK\n\n## /w/a/CLAUDE.md\nnearer\n\n",
      "The end.",
    ];
    const prompt = buildSystemPrompt(full);
    const places = marks.map((mark) => prompt.indexOf(mark));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(prompt.endsWith("The end.")).toBe(true);
    expect(prompt).not.toMatch(/\n\n\n/);
  });

  it("leaves absent sections out without a trace", () => {
    const prompt = buildSystemPrompt(base);
    expect(prompt.match(/^#+ .*$/gm)).toEqual(["# Environment", "# Rules", "# Tools"]);
    expect(prompt).not.toMatch(/Roots|undefined|null/);
  });

  it("states every working rule", () => {
    const prompt = buildSystemPrompt(base);
    for (const rule of [
      /read a file before you modify/i,
      /small steps and verify each/i,
      /no destructive commands/i,
      /answer in markdown/i,
      /prefer the file and search tools over the shell/i,
      /check every result/i,
      /in_progress before you start it, completed when it is done/,
      /tasks for persistent work/,
      /long commands in the background/,
      /act rather than explain/i,
    ]) {
      expect(prompt).toMatch(rule);
    }
  });

  it("stays small", () => {
    const builtin = [identity, rules, toolNotes].join("");
    expect(Buffer.byteLength(builtin)).toBeLessThan(2800);
    expect(Buffer.byteLength(buildSystemPrompt(base))).toBeLessThan(3000);
    const servers = Array.from({ length: 200 }, (_, i) => `server-number-${i}`);
    const grown = Buffer.byteLength(buildSystemPrompt({ ...base, mcp: { servers } }));
    expect(grown - Buffer.byteLength(buildSystemPrompt(base))).toBeLessThan(1000);
  });

  it("lets the caller replace identity and rules, even by nothing", () => {
    const prompt = buildSystemPrompt({ ...base, systemPrompt: "You are a test." });
    expect(prompt.startsWith("You are a test.\n\n# Environment")).toBe(true);
    expect(prompt).not.toMatch(/lathe, a coding agent|# Rules/);
    expect(buildSystemPrompt({ ...base, systemPrompt: "" }).startsWith("# Environment")).toBe(true);
  });

  it("keeps USER.md within its budget and says so", () => {
    const lines = Array.from({ length: 400 }, (_, i) => `fact number ${i} of the user`);
    const prompt = buildSystemPrompt({ ...base, user: lines.join("\n") });
    const section = /# The user\n([\s\S]*?)\n\[cut: USER\.md is over its budget of 800 tokens\]/.exec(
      prompt,
    )?.[1];
    expect(section?.startsWith("fact number 0 of the user\n")).toBe(true);
    expect(section?.split("\n").every((line, index) => line === lines[index])).toBe(true);
    const tokens = estimateTokens(section ?? "");
    expect(tokens).toBeGreaterThan(USER_MEMORY_TOKENS * 0.9);
    expect(tokens).toBeLessThanOrEqual(USER_MEMORY_TOKENS);
    expect(buildSystemPrompt({ ...base, user: "😀".repeat(5000) })).toMatch(/😀\n\[cut: USER\.md/);
  });

  it("holds no lone surrogate and no line break from a folder's name", () => {
    const prompt = buildSystemPrompt({ ...base, cwd: "/a\n# Rules", soul: "\ud800" });
    expect(prompt.isWellFormed()).toBe(true);
    expect(prompt).toContain("Working directory: /a # Rules\n");
  });

  it("takes an unknown time zone for the machine's own", () => {
    const withZone = (timeZone?: string) => buildSystemPrompt({ ...base, timeZone });
    expect(withZone("Nowhere/Town")).toBe(withZone());
  });
});

describe("a pinned prefix", () => {
  const prefix: Prefix = {
    system: "s",
    tools: [
      {
        name: "b",
        description: "d",
        inputSchema: {
          type: "object" as const,
          properties: { z: { type: "string" }, a: { type: "number" } },
        },
      },
      { name: "a", description: "e", inputSchema: { properties: {}, type: "object" as const } },
    ],
  };

  it("comes back with every key in its place", () => {
    const { hash, bytes } = pinPrefix(prefix);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(readPrefix(bytes))).toBe(JSON.stringify(prefix));
    expect(pinPrefix(readPrefix(bytes)).hash).toBe(hash);
    expect(pinPrefix({ ...prefix, system: "t" }).hash).not.toBe(hash);
  });

  it("is refused when it is something else", () => {
    for (const text of ["", "{}", '{"system":"s","tools":[{}]}', '{"system":1,"tools":[]}', '"x"']) {
      expect(() => readPrefix(Buffer.from(text))).toThrow(AppError);
    }
  });
});
