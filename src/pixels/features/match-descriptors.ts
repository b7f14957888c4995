import type { GpuSession } from "../../gpu/session.js";
import { GpuMatch } from "./gpu-match.js";
import { type Matches, type MatchOptions, type Neighbours, nearestOnCpu, selectMatches } from "./match.js";

/** Matches of two sets of descriptors, on the CPU or a GPU: the same ones, since distances are exact integers. */
export async function matchDescriptors(
  a: Uint8Array,
  b: Uint8Array,
  options: MatchOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<Matches> {
  const there = await nearest(a, b, device);
  return selectMatches(there, options.mutual ? await nearest(b, a, device) : null, options);
}

async function nearest(a: Uint8Array, b: Uint8Array, device: GpuSession | null): Promise<Neighbours> {
  if (device === null || a.length === 0 || b.length === 0) return nearestOnCpu(a, b);
  const match = await GpuMatch.create(device, a, b);
  try {
    return await match.run();
  } finally {
    match.destroy();
  }
}
