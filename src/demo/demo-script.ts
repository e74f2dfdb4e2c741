import type { Script } from "./scripted-model/types.ts";
export const DEMO_PROMPT = "Run the tests and fix what fails.";
export function demoScript(): Script { return [{ text: "nothing" }]; }
export async function copyDemoProject(_source: string, _target: string): Promise<void> {}
