type Common = {
  description?: string;
  required?: boolean;
  /** Names that models use for it; case, `_` and `-` do not matter. */
  aliases?: readonly string[];
};

/** One parameter of a tool. */
export type Parameter = Common &
  (
    | { type: "string"; choices?: readonly string[]; minLength?: number }
    | { type: "integer" | "number"; minimum?: number; maximum?: number }
    | { type: "boolean" }
    | { type: "array"; items: Parameter }
    | { type: "object"; properties: Parameters }
  );

export type Parameters = { readonly [name: string]: Parameter };

type ValueOf<P> = P extends { choices: readonly (infer Choice)[] }
  ? Choice
  : P extends { type: "string" }
    ? string
    : P extends { type: "integer" | "number" }
      ? number
      : P extends { type: "boolean" }
        ? boolean
        : P extends { items: infer Item }
          ? ValueOf<Item>[]
          : P extends { properties: infer Inner extends Parameters }
            ? Values<Inner>
            : never;

/** The checked values of parameters: required ones are there, others may be. */
export type Values<P extends Parameters> = {
  [Name in keyof P as P[Name] extends { required: true } ? Name : never]: ValueOf<P[Name]>;
} & { [Name in keyof P as P[Name] extends { required: true } ? never : Name]?: ValueOf<P[Name]> };
