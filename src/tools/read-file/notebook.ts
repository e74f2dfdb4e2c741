import type { Json } from "../../protocol/ids.ts";
import type { Result } from "../../protocol/ports.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import { plural, stripControls } from "../../shared/text.ts";
import { cutMiddle, errorOutput, portFailure, textOutput } from "../support/output.ts";

/** The cells of a Jupyter notebook and their text outputs. */
export function notebookOutput(loaded: Result<Uint8Array>, name: string, limit: number): ToolOutput {
  if (!loaded.ok) return portFailure(loaded.error);
  const cells = parseCells(loaded.value);
  if (!cells)
    return errorOutput(`Error: ${name} is no valid notebook: it holds no JSON with a list of cells.`);
  const head = `${name} (notebook, ${plural(cells.length, "cell")}; with offset=1 you get its JSON)`;
  const full = [head, ...cells.map(cellText)].join("\n\n");
  const { text, cut } = cutMiddle(full, limit);
  return cut === 0 ? textOutput(text) : { ...textOutput(text), fullText: full };
}

function parseCells(bytes: Uint8Array): Json[] | null {
  try {
    const cells = field(JSON.parse(new TextDecoder().decode(bytes)) as Json, "cells");
    return Array.isArray(cells) ? cells : null;
  } catch {
    return null;
  }
}

function cellText(cell: Json, index: number): string {
  const outputs = field(cell, "outputs");
  const shown = Array.isArray(outputs) ? outputs.map(outputText).filter((text) => text !== "") : [];
  const head = `[cell ${index + 1}: ${String(field(cell, "cell_type") ?? "unknown")}]`;
  const results = shown.length > 0 ? [`[output]\n${shown.join("\n")}`] : [];
  return [head, joined(field(cell, "source")), ...results].join("\n");
}

function outputText(output: Json): string {
  const traceback = field(output, "traceback");
  if (Array.isArray(traceback)) return stripControls(traceback.map(String).join("\n"));
  const data = field(output, "data");
  const text = joined(field(output, "text") ?? field(data, "text/plain"));
  const image = Object.keys(typeof data === "object" ? (data ?? {}) : {}).find((type) =>
    type.startsWith("image/"),
  );
  return stripControls(text).trimEnd() + (image ? `\n[${image} not shown]` : "");
}

function joined(value: Json | undefined): string {
  if (Array.isArray(value)) return value.map(String).join("");
  return typeof value === "string" ? value : "";
}

function field(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value[name];
}
