/** Rules are read where config can read them too; this is their place for everybody who decides. */
export { parseRule } from "../../protocol/rule-syntax.ts";
