/** Blacks out what must not be written down. */
export type Redactor = {
  /** A secret's exact text; it is replaced wherever it occurs. Short ones are ignored: they would match words. */
  hide(secret: string): void;
  text(text: string): string;
  /** JSON of a value, with secret fields and secret texts blacked out; never throws. */
  line(value: unknown): string;
};

const MARK = "[redacted]";
const SHORTEST = 8;

const SECRET_FIELD =
  /^(.*[-_])?(api[-_]?key|token|secret|password|passwd|authorization|cookie|credentials?|private[-_]?key)$/i;

const SECRET_TEXT = [
  /\b(?:sk|pk|rk|xai|gsk|ghp|gho|ghs|ghr|glpat|xox[abprs]|AIza|github_pat)[-_A-Za-z0-9]{12,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\b(?<=(?:bearer|basic)\s+)[A-Za-z0-9+/._~-]{8,}=*/gi,
  /(?<=[?&;]?(?:api[-_]?key|access[-_]?token|token|secret|password)=)[^&\s"']{4,}/gi,
  /(?<=:\/\/[^/\s:@]*:)[^/\s@]+(?=@)/g,
];

export function createRedactor(): Redactor {
  const secrets = new Set<string>();

  const text = (given: string): string => {
    let result = given;
    for (const secret of secrets) result = result.replaceAll(secret, MARK);
    for (const pattern of SECRET_TEXT) result = result.replace(pattern, MARK);
    return result;
  };

  return {
    hide(secret) {
      if (secret.length >= SHORTEST) secrets.add(secret);
    },
    text,
    line(value) {
      const seen = new Set<unknown>();
      try {
        return JSON.stringify(value, (name, item: unknown) => {
          if (name !== "" && SECRET_FIELD.test(name) && item !== null && item !== undefined) return MARK;
          if (typeof item === "string") return text(item);
          if (typeof item === "bigint") return String(item);
          if (item instanceof Error) return text(item.stack ?? item.message);
          if (typeof item !== "object" || item === null) return item;
          if (seen.has(item)) return "[seen above]";
          seen.add(item);
          return item;
        });
      } catch (error) {
        return JSON.stringify({ message: `not written: ${String(error)}` });
      }
    },
  };
}
