/** What a worker thread for regions runs, by the name #regions-worker of package.json. */
import { invariant } from "../core/errors.js";
import { type RegionAnswer, type RegionTask, solveRegion } from "../map/exact/region-bounds.js";
import { loadHighs } from "./highs.js";

export default async function run(task: RegionTask): Promise<RegionAnswer> {
  const highs = await loadHighs();
  invariant(highs !== null, () => "HiGHS is on the calling thread alone");
  return solveRegion(task, highs.open);
}
