/** What zod reports, as far as it is used here. */
export type Issue = {
  code: string;
  path: PropertyKey[];
  message: string;
  expected?: string;
  values?: unknown[];
  options?: unknown[];
  discriminator?: string;
  keys?: string[];
  minimum?: number | bigint;
  maximum?: number | bigint;
  origin?: string;
  issues?: { message: string }[];
};

/** One finding in words for people: the parameter by name, what it must be, what kind of value it was. */
export function describeIssue(issue: Issue, params: unknown): string {
  const where = spell(issue.path);
  const subject = where === "" ? "params" : `parameter "${where}"`;
  const value = valueAt(params, issue.path);
  if (value === undefined && issue.path.length > 0) return `${subject} is missing${hint(issue)}`;
  return `${subject} ${demand(issue)}${found(issue, value)}`;
}

function demand(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${article(issue.expected ?? "value")}`;
    case "invalid_value":
      return `must be ${list(issue.values ?? [])}`;
    case "invalid_union":
      return `must be ${list(issue.options ?? [])}`;
    case "unrecognized_keys":
      return `must not have ${(issue.keys ?? []).map((key) => JSON.stringify(key)).join(", ")}: no such parameter`;
    case "too_small":
      return `must be at least ${issue.minimum}${unit(issue)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unit(issue)}`;
    case "invalid_key":
      return issue.issues?.[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

function hint(issue: Issue): string {
  if (issue.code === "invalid_value") return `: it must be ${list(issue.values ?? [])}`;
  if (issue.code === "invalid_union") return `: it must be ${list(issue.options ?? [])}`;
  return issue.expected ? `: it must be ${article(issue.expected)}` : "";
}

function found(issue: Issue, value: unknown): string {
  return issue.code === "invalid_type" ? `, not ${kindOf(value)}` : "";
}

function unit(issue: Issue): string {
  if (issue.origin === "string") return issue.minimum === 1 ? " character" : " characters";
  if (issue.origin === "array") return issue.minimum === 1 ? " entry" : " entries";
  return "";
}

function list(values: unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(" or ");
}

const NAMES: Record<string, string> = {
  int: "a whole number",
  object: "an object",
  array: "an array",
  record: "an object",
};

function article(kind: string): string {
  return NAMES[kind] ?? `a ${kind}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isInteger(value)) return "a fraction";
  return article(typeof value);
}

function spell(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current: unknown = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[step];
  }
  return current;
}
