/** The work of a thread of Blocks, by the name #blocks-worker of package.json. */
import { invariant } from "../core/errors.js";
import { type BlocksMemory, bindBlocks } from "../map/primal/blocks.js";
import { loadHighs } from "./highs.js";

export default async function bind(memory: BlocksMemory) {
  const highs = await loadHighs();
  invariant(highs !== null, () => "HiGHS is on the calling thread alone");
  return bindBlocks(memory, highs.solveInteger);
}
