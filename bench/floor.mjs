// The floor: a bare Node loop over the Anthropic wire with three tools (bash, read_file, edit_file) and no
// features: no daemon, store, sandbox, permissions or screen. What lathe costs is measured against this.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";

const tool = (name, properties) => ({
  name,
  description: name,
  input_schema: { type: "object", properties, required: Object.keys(properties) },
});
const text = { type: "string" };
const tools = [
  tool("bash", { command: text }),
  tool("read_file", { path: text }),
  tool("edit_file", { path: text, old_text: text, new_text: text }),
];
const url = new URL("/v1/messages", process.env.ANTHROPIC_BASE_URL);
const messages = [{ role: "user", content: process.argv[2] ?? "go" }];

function call() {
  const body = JSON.stringify({
    model: "claude-sonnet-4-6",
    max_tokens: 4096,
    stream: true,
    tools,
    messages,
  });
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "anthropic-version": "2023-06-01",
          "x-api-key": "bench",
        },
      },
      (response) => {
        const content = [];
        let rest = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop();
          for (const line of lines) {
            if (!line.startsWith("data: ")) continue;
            const event = JSON.parse(line.slice(6));
            if (event.type === "content_block_start") content.push({ ...event.content_block, json: "" });
            const block = content.at(-1);
            if (event.delta?.type === "text_delta") block.text += event.delta.text;
            if (event.delta?.type === "input_json_delta") block.json += event.delta.partial_json;
          }
        });
        response.on("end", () => resolve(content));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function bash(command) {
  return new Promise((resolve) => {
    const child = spawn("/bin/bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    const keep = (data) => {
      if (out.length < 50_000) out += data;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("close", () => resolve(out || "(no output)"));
  });
}

async function run(name, input) {
  if (name === "bash") return await bash(input.command);
  if (name === "read_file") return readFileSync(input.path, "utf8").slice(0, 50_000);
  const before = readFileSync(input.path, "utf8");
  writeFileSync(
    input.path,
    before.replace(input.old_text, () => input.new_text),
  );
  return "ok";
}

for (;;) {
  const content = (await call()).map(({ json, ...block }) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(json || "{}") } : block,
  );
  messages.push({ role: "assistant", content });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) {
    process.stdout.write(`${content.map((block) => block.text ?? "").join("")}\n`);
    break;
  }
  const results = await Promise.all(
    calls.map(async (block) => ({
      type: "tool_result",
      tool_use_id: block.id,
      content: await run(block.name, block.input),
    })),
  );
  messages.push({ role: "user", content: results });
}
