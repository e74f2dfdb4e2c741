/** Placeholder until the screen lands in this session. */
export async function runTui(_host: unknown, _invocation: unknown): Promise<number> {
  throw new Error("the screen is not there");
}
