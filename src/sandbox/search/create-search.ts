import type { SearchPort } from "../../protocol/ports.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { list } from "./list.ts";
import type { SearchOptions } from "./options.ts";

/** Search and listing for one tool call; without ripgrep a walk gives the same results. */
export function createSearch(options: SearchOptions): SearchPort {
  return {
    grep: (query) => grep(options, query),
    glob: (query) => glob(options, query),
    list: (query) => list(options, query),
  };
}
