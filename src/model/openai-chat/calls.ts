import type { OpenCall, Reply } from "../reply.ts";
import { asObject, asText, type Loose } from "../wire.ts";

type Known = { call: OpenCall; id: string; index: unknown };

/**
 * Puts tool calls together. Services disagree on how pieces name their call: by index; by id only; with the
 * index 0 for every call; with neither, each call whole. A piece opens a new call when it brings an id that its
 * place does not have, or a name where nothing is open or what is open is already complete.
 */
export function createCallCollector(reply: Reply): (piece: Loose) => void {
  const known: Known[] = [];
  return (piece) => {
    const inner = asObject(piece.function);
    const id = asText(piece.id);
    const name = asText(inner.name);
    const index = piece.index ?? undefined;
    let target = placeOf(known, index, id);
    const foreign = id !== "" && target !== undefined && target.id !== "" && target.id !== id;
    if (!target || foreign || (name !== "" && isNext(target, id, index))) {
      target = { call: reply.openCall(name), id, index };
      known.push(target);
    } else if (target.call.name === "" && name !== "") target.call.name = name.trim();
    if (target.id === "") target.id = id;
    const args = inner.arguments;
    if (typeof args === "string") reply.argumentText(target.call, args);
    else if (args !== undefined && args !== null) reply.argumentText(target.call, JSON.stringify(args));
  };
}

/** Is a piece with a name the next call although its place is taken? */
function isNext(taken: Known, id: string, index: unknown): boolean {
  if (id === "" && index === undefined) return taken.call.name !== "";
  return (id === "" || index === undefined) && isComplete(taken.call);
}

function placeOf(known: Known[], index: unknown, id: string): Known | undefined {
  if (index !== undefined) return known.findLast((entry) => entry.index === index);
  return id === "" ? known.at(-1) : known.findLast((entry) => entry.id === id);
}

function isComplete(call: OpenCall): boolean {
  const text = call.parts.join("").trim();
  if (!text.endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
