import { setFlagsFromString } from "node:v8";

/**
 * Has V8 compile less, in all threads of this process. It holds what it has made of a closure only as long as a closure of that kind lives, so that each collection of all garbage between two windows, passes or
 * runs has it compile the same functions again: that was half of a short solve's time and a third of a long one's (lab/notes/windows.md §7). So it collects that more rarely, as rarely as it would by
 * itself where memory is filled fast, puts fewer functions into one another, and, where the next compiler is its slowest, waits until a function has taken longer. No result depends on it.
 */
export function compileLess(): void {
  setFlagsFromString("--heap-growing-percent=300");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=200");
  // Node 20. Later ones have a faster compiler between, and another name for this.
  if (process.versions.v8.startsWith("11.3.")) setFlagsFromString("--interrupt-budget=400000");
}
