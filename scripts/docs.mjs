// Writes docs/protocol.md from src/protocol (types and their comments) and src/protocol/schema (limits).
// `--check` writes nothing and fails when the file is not what it would write.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import ts from "typescript";

const TARGET = "docs/protocol.md";
const FOLDER = "src/protocol";
/** Ports are between rooms of the daemon, but some of their types travel; only those are printed. */
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));

const PYTHON = `import json, os, socket, uuid
state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
daemon = json.load(open(f"{state}/lathe/daemon/daemon.json"))  # any lathe command starts the daemon
s = socket.socket(socket.AF_UNIX); s.connect(daemon["socketPath"]); f = s.makefile("rw", encoding="utf-8")

def send(id, method, **params):
    f.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\\n"); f.flush()

keys = {name: os.environ[name] for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY") if name in os.environ}
send("hello", "initialize", protocolVersion=1, client={"name": "example", "version": "1"})
send("create", "session.create", cwd=os.getcwd(), mode="read-only", options={"sandbox": "on"},
     context={"environment": {"PATH": os.environ["PATH"]}, "credentials": keys})
for message in map(json.loads, f):
    if "error" in message: raise SystemExit(message["error"]["message"])
    if message.get("id") == "create":
        session = message["result"]["session"]["id"]
        send("open", "session.open", sessionId=session)
    if message.get("id") == "open":
        send("prompt", "session.prompt", sessionId=session, commandId=str(uuid.uuid4()), interactive=False,
             boundToClient=True, content=[{"type": "text", "text": "What does this project do?"}])
    if message.get("method") == "session.fact" and message["params"]["fact"]["type"] == "turn_finished":
        print(message["params"]["fact"]["text"]); break
`;

const BASH = `socket=$(sed -n 's/.*"socketPath":"\\([^"]*\\)".*/\\1/p' "\${XDG_STATE_HOME:-$HOME/.local/state}/lathe/daemon/daemon.json")
{ echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"client":{"name":"sh","version":"1"}}}'
  echo '{"jsonrpc":"2.0","id":2,"method":"session.list","params":{"limit":5}}'; sleep 1; } | nc -U "$socket"
`;

/** Every exported type of src/protocol by name, with its file and its place in it. */
function readTypes() {
  const types = new Map();
  for (const file of FILES) {
    const text = readFileSync(`${FOLDER}/${file}`, "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
    for (const node of source.statements) {
      if (ts.isTypeAliasDeclaration(node)) types.set(node.name.text, { file, node, source });
    }
  }
  return types;
}

function commentOf(node) {
  const doc = ts.getJSDocCommentsAndTags(node).at(-1);
  if (!doc) return "";
  const text = typeof doc.comment === "string" ? doc.comment : ts.getTextOfJSDocComment(doc.comment);
  return (text ?? "").replace(/\s*\n\s*/g, " ").trim();
}

/** Source text of a node, moved to the left margin. */
function textOf(node, source) {
  const lines = node.getText(source).split("\n");
  const indents = lines
    .slice(1)
    .filter((line) => line.trim() !== "")
    .map((line) => line.search(/\S/));
  const margin = indents.length > 0 ? Math.min(...indents) : 0;
  const closing = lines.length > 1 ? lines.at(-1).search(/\S/) : 0;
  const cut = Math.min(margin, closing);
  return [lines[0], ...lines.slice(1).map((line) => line.slice(cut))].join("\n");
}

function membersOf(types, name) {
  const { node, source } = types.get(name);
  if (!ts.isTypeLiteralNode(node.type)) throw new Error(`${name} must be a type literal`);
  return node.type.members.map((member) => {
    if (!ts.isPropertySignature(member) || !member.type)
      throw new Error(`${name}: every member must be a property`);
    return { name: member.name.text, comment: commentOf(member), type: member.type, source };
  });
}

function fieldOf(member, name) {
  const field = member.type.members.find((candidate) => candidate.name.text === name);
  if (!field) throw new Error(`${member.name} has no ${name}`);
  // Comments that lie before a field of a method belong to the method's description.
  return { text: textOf(field.type, member.source), comment: commentOf(field), node: field.type };
}

/** Names of our types that a node refers to, followed to the end, in order of appearance. */
function closure(types, nodes) {
  const found = new Set();
  const visit = (node) => {
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
      const name = node.typeName.text;
      if (types.has(name) && !found.has(name)) {
        found.add(name);
        visit(types.get(name).node.type);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const node of nodes) visit(node);
  return [...found];
}

/** What the schemas demand beyond the types: lengths, ranges, patterns. */
async function readLimits() {
  const bundle = await build({
    stdin: {
      contents: `export { paramSchemas } from "./methods.ts"; export { toJSONSchema } from "zod/mini";`,
      resolveDir: `${process.cwd()}/${FOLDER}/schema`,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  const code = Buffer.from(bundle.outputFiles[0].contents).toString("base64");
  const { paramSchemas, toJSONSchema } = await import(`data:text/javascript;base64,${code}`);
  const limits = new Map();
  for (const [method, schema] of Object.entries(paramSchemas)) {
    limits.set(method, limitsOf(toJSONSchema(schema, { unrepresentable: "any" }), ""));
  }
  return limits;
}

/** Limits that the introduction names once. */
const ID_LIMIT = "1 to 128 characters";
const PATTERNS = new Map([
  [String.raw`^\/[^\0]{0,4095}$`, "an absolute path"],
  ["^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "a UUID"],
  ["^[0-9a-f]{64}$", "a SHA-256 in lower-case hex"],
  ["^[A-Za-z0-9+/]+={0,2}$", "base64 without line breaks"],
  ["^[A-Za-z_][A-Za-z0-9_]*$", "the name of a variable"],
  [String.raw`^[^\0]*$`, "no NUL character"],
]);

const SAFE = Number.MAX_SAFE_INTEGER;
const number = (value) => value.toLocaleString("en-US");

function limitsOf(schema, path) {
  const lines = [];
  const words = [];
  if (schema.type === "integer") words.push("a whole number");
  if (schema.minLength !== undefined || schema.maxLength !== undefined) {
    words.push(`${number(schema.minLength ?? 0)} to ${number(schema.maxLength ?? SAFE)} characters`);
  }
  const [low, high] = [schema.minimum, schema.maximum];
  if (low !== undefined && low > -SAFE)
    words.push(high === undefined || high >= SAFE ? `at least ${low}` : `${low} to ${number(high)}`);
  if (schema.minItems !== undefined)
    words.push(`at least ${schema.minItems} ${schema.minItems === 1 ? "entry" : "entries"}`);
  if (schema.pattern !== undefined)
    words.push(PATTERNS.get(schema.pattern) ?? `matches \`${schema.pattern}\``);
  const common = path.startsWith("context.") || words.join() === ID_LIMIT;
  if (words.length > 0 && path !== "" && !common) lines.push(`- \`${path}\`: ${words.join(", ")}`);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    lines.push(...limitsOf(child, path === "" ? name : `${path}.${name}`));
  }
  if (schema.items) lines.push(...limitsOf(schema.items, `${path}[]`));
  if (schema.propertyNames) lines.push(...limitsOf(schema.propertyNames, `${path}.<name>`));
  if (typeof schema.additionalProperties === "object")
    lines.push(...limitsOf(schema.additionalProperties, `${path}.*`));
  for (const option of schema.anyOf ?? schema.oneOf ?? []) lines.push(...limitsOf(option, path));
  return [...new Set(lines)];
}

const fence = (language, text) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

function methodSection(member, limits) {
  const params = fieldOf(member, "params");
  const result = fieldOf(member, "result");
  const parts = [`### \`${member.name}\``];
  if (member.comment) parts.push(member.comment);
  parts.push(fence("ts", `params: ${params.text}`), fence("ts", `result: ${result.text}`));
  if (result.comment) parts.push(`Result: ${result.comment}`);
  if (limits.length > 0) parts.push(`Limits:\n\n${limits.join("\n")}`);
  return parts.join("\n\n");
}

function typeSection(types, name) {
  const { node, source } = types.get(name);
  const comment = commentOf(node);
  const text = node.getText(source).replace(/^export /, "");
  return [`### ${name}`, ...(comment ? [comment] : []), fence("ts", text)].join("\n\n");
}

const constantOf = (file, name) => {
  const match = new RegExp(`${name}(?:: [^=]+)? = (\\d+)`).exec(readFileSync(file, "utf8"));
  if (!match) throw new Error(`${file} has no ${name}`);
  return match[1];
};

function introduction(version) {
  return `# The protocol

This page is generated by \`scripts/docs.mjs\` from \`src/protocol\`; do not edit it.

Clients talk to the daemon in JSON-RPC 2.0 over a Unix socket, one message a line (UTF-8, ended by \`\\n\`), in both
directions. The protocol version is **${version}**: it is raised when a message changes meaning. New methods, new optional
parameters, new fields in results and new kinds of facts may come without that: ignore what you do not know.

- The socket's path is in \`$XDG_STATE_HOME/lathe/daemon/daemon.json\` (default \`~/.local/state\`) while a daemon runs. Its
  folder is open to its user only; there is no other authentication.
- \`initialize\` comes first. What is sent right behind it waits for its answer. Only \`daemon.status\` and \`daemon.stop\` work
  without it, or with another protocol version.
- Answers may come in any order; batches are answered in one array. Wait for an answer before sending what depends on it.
- A message may have 64 MiB. A parameter that a method does not know is refused, so that nothing you ask for is ignored.
- Ids have ${ID_LIMIT}, absolute paths at most 4,096; names in \`context\` are names of variables, and its values hold no
  NUL character. Further limits stand with each method.
- A \`commandId\` (a fresh UUID) makes a command safe to repeat: after a lost connection send it again with the same id. What
  was acknowledged survives the death of every process.

**Facts** (\`session.fact\`) are stored and numbered per session without gaps. After \`session.open\` they are sent in order and
never dropped; skip a number you have seen. A client that reads too slowly is told \`daemon.notice too_slow\` and
disconnected: it comes back with \`session.open\` and \`afterSeq\`, and asks \`session.facts\` for more until it has reached
\`snapshot.seq\`. **Deltas** (\`session.delta\`) show what streams; they are merged per 30 ms and dropped for a slow client, which
is then told \`daemon.notice deltas_dropped\`: another \`session.open\` gives the message as far as it got. Ignore deltas of a
session that arrive before the answer to its \`session.open\`: they are in the snapshot.

## Example

In Python, without a library:

${fence("python", PYTHON)}

In a shell:

${fence("sh", BASH)}

## Errors

An error has JSON-RPC's number, a message for people and \`data.code\`, which is stable:

| number | \`data.code\` | meaning |
|---|---|---|
| -32700 | \`parse_error\` | the line is no JSON or no UTF-8 |
| -32600 | \`invalid_request\`, \`message_too_large\` | no JSON-RPC 2.0 message, or one that is too large; it was skipped |
| -32601 | \`unknown_method\` | no such method |
| -32602 | \`invalid_params\` | the message names the parameter and what it must be |
| -32603 | \`internal\` | a bug in the daemon; its log has the details |
| -32002 | \`not_initialized\` | \`initialize\` comes first |
| -32000 | \`not_found\`, \`busy\`, \`protocol_version\`, ... | the method refused or failed; the message says why |`;
}

async function render() {
  const types = readTypes();
  const limits = await readLimits();
  const methods = membersOf(types, "Methods");
  const notifications = membersOf(types, "Notifications");
  const missing = methods.filter(({ name }) => !limits.has(name)).map(({ name }) => name);
  if (methods.length === 0 || missing.length > 0)
    throw new Error(`no schema for ${missing.join(", ") || "anything"}`);
  const own = new Set(["Methods", "Notifications", "MethodName"]);
  const named = closure(
    types,
    [...methods, ...notifications].map(({ type }) => type),
  ).filter((name) => !own.has(name));
  return `${[
    introduction(constantOf(`${FOLDER}/rpc.ts`, "PROTOCOL_VERSION")),
    "## Methods",
    ...methods.map((member) => methodSection(member, limits.get(member.name))),
    "## Notifications",
    ...notifications.map(({ name, comment, type, source }) =>
      [`### \`${name}\``, ...(comment ? [comment] : []), fence("ts", `params: ${textOf(type, source)}`)].join(
        "\n\n",
      ),
    ),
    "## Types",
    ...named.sort().map((name) => typeSection(types, name)),
  ].join("\n\n")}\n`;
}

const wanted = await render();
if (process.argv.includes("--check")) {
  let current = "";
  try {
    current = readFileSync(TARGET, "utf8");
  } catch {
    // Missing is stale.
  }
  if (current !== wanted) {
    console.error(`${TARGET} is stale; run \`npm run docs\``);
    process.exit(1);
  }
  console.log(`${TARGET} is up to date`);
} else {
  mkdirSync("docs", { recursive: true });
  writeFileSync(TARGET, wanted);
  console.log(`wrote ${TARGET} (${wanted.split("\n").length} lines)`);
}
