const MAIN = `lathe: a coding agent for the terminal

  lathe [flags] [prompt]            interactive
  lathe -p [flags] "prompt"         one task, answer on stdout (the prompt may come on stdin)
  lathe demo                        a scripted model fixes a real bug; no key, no network

Sessions
  -c, --continue                    go on with the last session of this folder
  -r, --resume ID                   go on with that session (an id, its beginning, or a title)
      --fork-session                with -c or -r: go on in a copy
      --session-id UUID             use this id for a new session
      --name TITLE                  title of a new session

What it may do
  -m, --model PROVIDER/MODEL        e.g. anthropic/claude-sonnet-4-6, ollama/qwen3
      --permission-mode MODE        ask, accept-edits, auto, read-only, bypass
      --allowed-tools RULES         e.g. "Bash(npm test) Edit(src/**)"
      --disallowed-tools RULES
      --tools NAMES                 offer only these tools
      --add-dir DIR                 one more folder it may write to (may be repeated)
      --sandbox none                run commands bare: only where something else keeps them in
      --max-turns N                 at most N model calls
      --max-tool-calls N            finish the batch in hand after N tool calls, then wrap up
      --max-tokens N, --max-budget-usd X, --max-seconds S

What it is told
      --system-prompt TEXT          replaces the built-in instructions (--system-prompt-file FILE)
      --append-system-prompt TEXT   adds to them (--append-system-prompt-file FILE)

One-shot runs
      --output-format F             text (default), json, stream-json
      --input-format F              text (default), stream-json
      --include-partial-messages    stream-json: also the message while it streams
      --verbose                     text: tool calls on stderr
      --detach                      leave the turn running and print the session id
  -C, --cwd DIR                     work in DIR
  -h, --help, -v, --version

Commands
  lathe sessions list|show|delete|export    lathe daemon status|stop|logs
  lathe permissions test|list               lathe sandbox run [--policy FILE] -- COMMAND
  lathe tasks list|show|export|import       lathe trust [DIR]
  lathe doctor, config, models

Exit codes: 0 done, 1 failed, 2 usage, 41 authentication, 42 bad input, 44 no sandbox, 52 config,
53 turn, tool call or time limit, 60 denied, 61 token or cost limit, 63 refused, 64 cut, 130/143 interrupted.
`;

const TOPICS: Record<string, string> = {
  sessions: `lathe sessions list [--all] [--search TEXT] [--limit N] [--json]
lathe sessions show ID [--json]      the conversation
lathe sessions context ID [--json]   what fills the model's window, in tokens
lathe sessions delete ID [ID ...]
lathe sessions export ID [FILE]      one JSON document

ID is an id, its unique beginning, or a title.
`,
  tasks: `lathe tasks list [--json]      the tasks of this project
lathe tasks show ID
lathe tasks delete ID [ID ...]
lathe tasks export DIR           one file task_<id>.json for each
lathe tasks import DIR [--replace]
    takes those files with their ids; --replace overwrites tasks of the same id
`,
  daemon: `lathe daemon status [--json]    what runs, part by part
lathe daemon stop [--force]     --force interrupts turns that are working
lathe daemon logs [-n LINES]    the end of its log
`,
  permissions: `lathe permissions test TOOL JSON [--mode M] [--rules FILE] [--json]
    what would be decided about this call, by the very function that decides
lathe permissions list [--json]
`,
  sandbox: `lathe sandbox run [--policy FILE] [--timeout SECONDS] -- COMMAND ...
    runs COMMAND in the sandbox; the policy file is described in docs/security.md
`,
  trust: `lathe trust [DIR]           the project's own config may loosen rules and start processes
lathe trust --remove [DIR]
`,
  config: `lathe config [--json]       every effective setting, its value and where it comes from
`,
  doctor: `lathe doctor [--json]       looks at every part and says how to mend what fails
`,
  models: `lathe models [--json]       models that can be used now, and the default
`,
  demo: `lathe demo [--keep DIR]     a small project with a failing test, a scripted model, everything else real
`,
};

/** The help text; for an unknown topic the main page. */
export function helpText(topic: string | null): string {
  return (topic !== null && TOPICS[topic]) || MAIN;
}
