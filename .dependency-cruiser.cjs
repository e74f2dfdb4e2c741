// The arrows of ARCHITECTURE.md: which room may import which.
const base = ["shared", "protocol"];
const allow = {
  shared: [],
  protocol: [],
  engine: ["protocol"],
  permission: ["protocol"],
  config: base,
  model: base,
  sandbox: base,
  store: base,
  tools: base,
  agents: base,
  extensions: base,
  memory: base,
  context: base,
  daemon: [
    ...base,
    "engine",
    "permission",
    "config",
    "model",
    "sandbox",
    "store",
    "tools",
    "agents",
    "extensions",
    "memory",
    "context",
  ],
  client: base,
  cli: [...base, "config", "client"],
  demo: [...base, "config", "client"],
  tui: [...base, "client"],
};
// Unit tests, and what only they use.
const test = "([.]test[.]ts$|/testing/|/test-support/)";
// Tests of the wires play against the demo's scripted model server.
module.exports = {
  forbidden: [
    { name: "no-cycle", severity: "error", from: {}, to: { circular: true } },
    {
      name: "lazy-only-where-listed",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(main|model/catalog|daemon/wiring)[.]ts$" },
      to: { path: "^src/", dynamic: true },
    },
    {
      name: "pure-rooms",
      severity: "error",
      from: {
        path: "^src/(protocol|engine|permission)/",
        pathNot: [test, "^src/protocol/schema/", "^src/permission/shell/"],
      },
      to: { dependencyTypes: ["core", "npm", "npm-dev", "unknown"] },
    },
    {
      name: "tools-reach-the-os-through-context",
      severity: "error",
      from: { path: "^src/tools/", pathNot: test },
      to: { path: "^(node:)?(fs|fs/promises|child_process|net|http|https|worker_threads)$", reachable: true },
    },
    {
      name: "tool-islands",
      severity: "error",
      from: { path: "^src/tools/([^/]+)/" },
      to: { path: "^src/tools/[^/]+/", pathNot: ["^src/tools/$1/", "^src/tools/support/"] },
    },
    {
      name: "no-production-import-of-tests",
      severity: "error",
      from: { path: "^src/", pathNot: test },
      to: { path: `${test}|^test/` },
    },
    ...Object.entries(allow).map(([room, ok]) => ({
      name: `room-${room}`,
      severity: "error",
      from: { path: `^src/${room}/`, pathNot: test },
      to: { path: "^src/", pathNot: [`^src/${room}/`, ...ok.map((other) => `^src/${other}/`)] },
    })),
    {
      name: "unknown-room",
      severity: "error",
      from: {},
      to: { path: "^src/[^/]+/", pathNot: Object.keys(allow).map((room) => `^src/${room}/`) },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
  },
};
