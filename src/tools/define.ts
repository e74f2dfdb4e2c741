import type { JsonObject } from "../protocol/ids.ts";
import type {
  Action,
  InputSchema,
  Parsed,
  Place,
  ToolContext,
  ToolDefinition,
  ToolEffect,
  ToolOutput,
} from "../protocol/tool.ts";
import type { Parameters, Values } from "./support/parameter.ts";
import { parseInput, schemaOf } from "./support/parameters.ts";

/** What an author of a tool writes; parsing, coercion and the schema come from `parameters`. */
export type ToolSource<P extends Parameters, Input = Values<P>> = {
  name: string;
  aliases: readonly string[];
  /** The text of the `.md` beside the tool. */
  description: string;
  parameters: P;
  effect: ToolEffect;
  parallel: boolean;
  /** Turns shapes that other agents' tools have into ours, before anything is checked. */
  prepare?(input: JsonObject): JsonObject;
  /** Checks that concern more than one parameter. */
  refine?(values: Values<P>): Parsed<Input>;
  actions(input: Input, place: Place): Action[];
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
};

/** Makes a tool definition of what its author wrote. */
export function defineTool<const P extends Parameters, Input = Values<P>>(
  source: ToolSource<P, Input>,
): ToolDefinition {
  const inputSchema: InputSchema = schemaOf(source.parameters);
  const parse = (input: JsonObject): Parsed<Input> => {
    const prepared = source.prepare?.(input) ?? input;
    const values = parseInput(source.parameters, prepared);
    if (!values.ok) return values;
    // Without refine, Input is Values<P>: the default of the type parameter.
    return source.refine?.(values.value) ?? (values as Parsed<Input>);
  };
  const definition: ToolDefinition<Input> = {
    name: source.name,
    aliases: source.aliases,
    description: source.description.trim(),
    inputSchema,
    effect: source.effect,
    parallel: source.parallel,
    parse,
    actions: source.actions,
    run: source.run,
  };
  return definition as ToolDefinition;
}
