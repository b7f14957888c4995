import type { GpuSession } from "../../gpu/session.js";
import { once } from "../../gpu/workspace.js";
import { GpuMatch } from "./gpu-match.js";
import { type Matches, type MatchOptions, type Neighbours, nearestOnCpu, selectMatches } from "./match.js";

/**
 * Matches of two sets of descriptors, on the CPU or a GPU: the same ones, since distances are exact integers. For many pairs of images on a GPU, keep a
 * GpuMatch and give it as `kept`.
 */
export async function matchDescriptors(
  a: Uint8Array,
  b: Uint8Array,
  options: MatchOptions,
  { device, kept }: { readonly device: GpuSession | null; readonly kept?: GpuMatch },
): Promise<Matches> {
  const [there, back] = await neighbours(a, b, options.mutual, device, kept);
  return selectMatches(there, back ?? null, options);
}

async function neighbours(
  a: Uint8Array,
  b: Uint8Array,
  mutual: boolean,
  device: GpuSession | null,
  kept: GpuMatch | undefined,
): Promise<Neighbours[]> {
  if (device === null || a.length === 0 || b.length === 0) {
    return [nearestOnCpu(a, b), ...(mutual ? [nearestOnCpu(b, a)] : [])];
  }
  return kept !== undefined
    ? await kept.neighbours(a, b, mutual)
    : await once(GpuMatch.create(device), (match) => match.neighbours(a, b, mutual));
}
