import { forEachChild, type SyntaxNode } from "unbash";

/** True for a function that starts itself twice, or once in the background: it never stops growing. */
export function isForkBomb(node: Extract<SyntaxNode, { type: "Function" }>): boolean {
  const name = node.name.value;
  let bomb = false;
  const look = (child: SyntaxNode): void => {
    if (child.type === "Pipeline" && child.commands.filter((one) => calls(one, name)).length > 1) bomb = true;
    if (child.type === "Statement" && child.background && contains(child.command, name)) bomb = true;
    forEachChild(child, look);
  };
  look(node.body);
  return bomb;
}

function calls(node: SyntaxNode, name: string): boolean {
  return node.type === "Command" && node.name?.value === name;
}

function contains(node: SyntaxNode, name: string): boolean {
  if (calls(node, name)) return true;
  let found = false;
  forEachChild(node, (child) => {
    if (contains(child, name)) found = true;
  });
  return found;
}
