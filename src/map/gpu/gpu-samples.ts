import { strideOver } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { KernelError } from "../../gpu/wgsl/kernel-error.js";
import { Workspace } from "../../gpu/workspace.js";
import type { Graph, ImplicitTriplets } from "../instance/instance.js";
import { sampledTriplets } from "../instance/sampled-triplets.js";
import { tripletRule } from "../instance/triplet-rules.js";
import { tripletCostText } from "./gpu-kernels.js";

/** Share of a cost, and of the mean one, by which f32 may differ: far more than its rounding, far less than another function would. */
const TOLERANCE = 1e-3;

/**
 * The reason why a device does not compute a user's triplets as the host does; null where it does, to the digits of f32, on all samples.
 */
export async function disagreementOnDevice(
  session: GpuSession,
  { links, tail, head, linkStart, linkEnd }: Graph,
  { rule, perEdge }: ImplicitTriplets,
): Promise<string | null> {
  const { width, cost } = tripletRule(rule);
  const isInside = (e: number) => tail[e] >= 0 && head[e] >= 0;
  const samples = sampledTriplets(tail.length, (e) =>
    links > 0 && isInside(e)
      ? { first: linkStart[head[e]], count: linkEnd[head[e]] - linkStart[head[e]] }
      : { first: 0, count: 0 },
  );
  const count = samples.e.length;
  if (count === 0) return null;
  const numbers = new Float32Array(2 * width * count);
  const wanted = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const [e, f] = [width * samples.e[n], width * samples.f[n]];
    numbers.set(perEdge.subarray(e, e + width), 2 * width * n);
    numbers.set(perEdge.subarray(f, f + width), 2 * width * n + width);
    wanted[n] = cost(perEdge, e, f);
  }
  let found: Float32Array;
  try {
    found = await onDevice(session, tripletCostText(rule), numbers, count);
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    return `its compiler says ${error.message.split("\n")[0]}`;
  }
  const mean = wanted.reduce((sum, d) => sum + Math.abs(d), 0) / count;
  const at = wanted.findIndex((d, n) => !(Math.abs(found[n] - d) <= TOLERANCE * (Math.abs(d) + mean)));
  return at < 0 ? null : `it computes ${found[at]} where the function returns ${wanted[at]}`;
}

async function onDevice(session: GpuSession, text: string, perEdge: Float32Array<ArrayBuffer>, count: number) {
  const file = new URL("./sample-triplets.wgsl", import.meta.url);
  const kernel = await loadKernel(session, file, { texts: { "triplet-cost": text } });
  const work = new Workspace(session, "samples of triplets");
  try {
    work.upload("perEdge", perEdge);
    work.storage("cost", count);
    const steps = [{ kernel, groups: [strideOver(kernel, count)] as const }];
    return await work.run(
      (encoder) => work.record(encoder, steps),
      [{ name: "cost" }],
      ([words]) => new Float32Array(words.slice().buffer),
    );
  } finally {
    work.destroy();
  }
}
