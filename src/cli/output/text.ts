import type { CallRecord } from "../../protocol/session.ts";
import { cutText, stripControls } from "../../shared/text.ts";
import { type CliHost, print, say } from "../host.ts";
import { outcomeMessage } from "./result.ts";
import type { RunOutput } from "./run-output.ts";
import { warnOf, warnOfSandbox } from "./warnings.ts";

const ARGUMENTS_SHOWN = 120;
const RESULT_SHOWN = 100;

/**
 * `text`: the answer on stdout, everything else on stderr. Control sequences of models and tools are removed,
 * and nothing of our own is added, so it is safe in pipes, logs and dumb terminals.
 */
export function textOutput(host: CliHost, options: { verbose: boolean }): RunOutput {
  let calls = 0;
  const shown = new Set<string>();
  const note = (text: string): void => say(host, stripControls(text));
  return {
    begin(start) {
      warnOfSandbox(host, start.sandbox);
      if (options.verbose)
        note(`session ${start.session.id} · ${start.session.model} · mode ${start.session.mode}`);
    },
    fact({ fact }) {
      warnOf(host, fact);
      if (fact.type === "limit_reached") note(`lathe: ${fact.message}`);
      else if (fact.type === "retry_scheduled" && (options.verbose || host.stderr.isTTY === true)) {
        note(`lathe: ${fact.error.message}; trying again (attempt ${fact.attempt + 1})`);
      } else if (options.verbose && fact.type === "call_changed") {
        if (!shown.has(fact.call.id) && fact.call.status !== "preparing") {
          shown.add(fact.call.id);
          note(`${++calls}. ${callLine(fact.call)}`);
        }
        if (fact.call.status === "done") note(resultLine(fact.call));
      } else if (options.verbose && fact.type === "message_added" && fact.message.kind === "reply") {
        const hasCalls = fact.message.content.some((block) => block.type === "tool_call");
        for (const block of fact.message.content) if (hasCalls && block.type === "text") note(block.text);
      }
    },
    delta() {},
    finish(turn) {
      if (turn.text !== "") print(host, stripControls(turn.text));
      const message = outcomeMessage(turn.outcome);
      if (message !== null) note(`lathe: ${message}`);
      if (turn.denials.length > 0) note(ALLOW_HINT);
      for (const denial of turn.denials)
        note(
          `  denied: ${callLine({ name: denial.tool, input: denial.input })} (${forPeople(denial.reason)})`,
        );
      if (options.verbose) note(usageLine(turn.usage));
    },
  };
}

/** A call in one line: name and its arguments, cut (CONTRACT U10). */
function callLine(call: Pick<CallRecord, "name" | "input">): string {
  const { command, path } = call.input;
  const subject =
    typeof command === "string"
      ? command
      : typeof path === "string" && Object.keys(call.input).length === 1
        ? path
        : JSON.stringify(call.input);
  return `${call.name} ${cutText(subject.replaceAll("\n", " "), ARGUMENTS_SHOWN, "...")}`;
}

function resultLine(call: Extract<CallRecord, { status: "done" }>): string {
  const text = call.result.content.map((block) => (block.type === "text" ? block.text : "[image]")).join(" ");
  const mark = call.result.status === "ok" ? "✓" : "✗";
  return `   ${mark} ${cutText(text.replace(/\s+/g, " ").trim(), RESULT_SHOWN, "...")}`;
}

function usageLine(usage: { input: number | null; output: number | null; cost: number | null }): string {
  const count = (value: number | null): string => (value === null ? "unknown" : String(value));
  const cost = usage.cost === null ? "cost unknown" : `$${usage.cost.toFixed(4)}`;
  return `tokens: ${count(usage.input)} in, ${count(usage.output)} out; ${cost}`;
}

const ALLOW_HINT =
  '  to allow such calls: --allowed-tools "Bash(npm test) Edit(src/**)", --permission-mode auto, or a rule in the config';

/** A denial without the words that are for the model. */
const forPeople = (reason: string): string =>
  reason.replace(/^Permission denied: /, "").replace(/ (Go on without it|Do not try)[\s\S]*$/, "");
