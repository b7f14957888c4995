import { deviceBytes } from "../map/gpu/gpu-bytes.js";
import { buildGraph } from "../map/instance/build.js";
import { needsCpu, staysOnCpu } from "../run/device.js";
import { fits, PROCESS_BYTES, processTerms, storedBytes } from "../run/memory.js";
import type { Problem } from "../run/problem.js";
import { expectedBy, expectedSeconds } from "../run/speed.js";

/**
 * Sizes of a problem, and the time and memory that a solve is expected to take on either device. Where costs are learned from a stretch, they are those of the stretch, in proportion.
 *
 * @param stores whether the CPU stores the triplets of a user's function or formula where it can, and a GPU computes them
 */
export function expectedOf({ priced, numbers, detections }: Problem, threads: number, stores = true) {
  const { graph } = buildGraph(priced, numbers);
  const { frames, frameStart, edges, triplets } = graph;
  const whole = detections?.x.length ?? frameStart[frames];
  const times = (count: number) => Math.round((count * whole) / frameStart[frames]);
  const sizes = { detections: whole, edges: times(edges), triplets: times(triplets.count) };
  const isWritten = triplets.kind === "implicit" && typeof triplets.rule !== "string";
  const fitsCpu = sizes.triplets < 2 ** 32 && fits({ ...sizes, links: sizes.edges });
  const on = (kind: "cpu" | "gpu", isStored: boolean) => {
    const stored = isStored ? sizes.triplets : 0;
    const numbers = isStored || triplets.kind === "csr" ? 0 : times(triplets.perEdge.byteLength);
    const ofTriplets = storedBytes(stored, priced.birthDeath !== null) + numbers;
    return {
      storage: isStored ? "csr" : "implicit",
      seconds: expectedSeconds({ ...sizes, stored }, threads)[kind],
      bytes: expectedBy(PROCESS_BYTES[kind], processTerms({ ...sizes, stored }, threads)) + ofTriplets,
    };
  };
  const isStored = triplets.kind === "csr";
  return {
    ...sizes,
    needsCpu: needsCpu(graph),
    staysOnCpu: staysOnCpu(graph),
    cpu: { ...on("cpu", isStored || (isWritten && stores && fitsCpu)), threads },
    gpu: { ...on("gpu", isStored), deviceBytes: times(deviceBytes(graph)) },
  };
}
