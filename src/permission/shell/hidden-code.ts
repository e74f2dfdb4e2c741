import type { SyntaxNode, Word } from "unbash";

/**
 * Places where bash runs text as commands without saying so: array subscripts in arithmetic, indirect
 * variables, prompt expansion.
 */

/** `names` when it calculates with variables, a reason when it holds code, null when it is plain. */
export function arithmeticRisk(node: SyntaxNode, source: string): "names" | string | null {
  const text = arithmeticText(node, source);
  if (text === null) return null;
  if (/[[\]'"`\\]|\$\(/.test(text)) return "it calculates with text that could run commands";
  return /[A-Za-z_]/.test(text) ? "names" : null;
}

function arithmeticText(node: SyntaxNode, source: string): string | null {
  switch (node.type) {
    case "ArithmeticExpansion":
      return node.text.startsWith("$[") ? node.text.slice(2, -1) : node.text.slice(3, -2);
    case "ArithmeticCommand":
      return node.body;
    case "ArithmeticFor":
      return source
        .slice(node.pos, node.body.pos)
        .replace(/^\s*for\b/, "")
        .replace(/\bdo\s*$/, "");
    case "TestBinary":
      return /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator) ? `${node.left.text} ${node.right.text}` : null;
    case "TestUnary":
      return node.operator === "-v" || node.operator === "-R" ? node.operand.text : null;
    default:
      return null;
  }
}

/** A reason when a variable's value is used as a name or as a prompt. */
export function parameterRisk(node: SyntaxNode): "names" | string | null {
  if (node.type !== "ParameterExpansion") return null;
  if (node.prefix === "!" && node.operation?.type !== "Names") return "it uses a variable's value as a name";
  if (node.operation?.type === "Transform" && node.operation.operand.value.includes("P")) {
    return "it expands a variable as a prompt, which can run commands";
  }
  const index = node.index?.text ?? "0";
  const offset = node.operation?.type === "Slice" ? node.operation.offset.text : "0";
  return /^[\d@*\s-]*$/.test(index) && /^[\d\s-]*$/.test(offset) ? null : "names";
}

/** True for a value that arithmetic could not run: letters, digits, paths, a calculation. */
export function isPlainValue(word: Word): boolean {
  if (!word.parts) return !/[[$`]/.test(word.value);
  return word.parts.every((part) => {
    if (part.type === "ArithmeticExpansion" || part.type === "Glob") return true;
    const value = "value" in part ? part.value : null;
    return value !== null && !/[[$`]/.test(value);
  });
}
