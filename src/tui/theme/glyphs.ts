/** The signs that blocks are drawn with. */
export type Glyphs = {
  bullet: string;
  rule: string;
  codeEdge: string;
  table: { left: string; bar: string; cross: string; right: string; rule: string };
  user: string;
  waiting: string;
  running: readonly string[];
  done: string;
  failed: string;
  denied: string;
  thinking: string;
  ellipsis: string;
  dot: string;
};

export const UNICODE: Glyphs = {
  bullet: "•",
  rule: "─",
  codeEdge: "│",
  table: { left: "├", bar: "│", cross: "┼", right: "┤", rule: "─" },
  user: "›",
  waiting: "○",
  running: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  done: "✓",
  failed: "✗",
  denied: "⊘",
  thinking: "✻",
  ellipsis: "…",
  dot: "·",
};

/** For dumb terminals, pipes and screen readers: letters and punctuation only. */
export const ASCII: Glyphs = {
  bullet: "-",
  rule: "-",
  codeEdge: " ",
  table: { left: " ", bar: " ", cross: " ", right: " ", rule: "-" },
  user: ">",
  waiting: "waiting:",
  running: ["running:"],
  done: "done:",
  failed: "failed:",
  denied: "denied:",
  thinking: "thinking:",
  ellipsis: "...",
  dot: "-",
};
