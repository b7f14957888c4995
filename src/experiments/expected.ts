import { deviceBytes } from "../map/gpu/gpu-bytes.js";
import { buildGraph } from "../map/instance/build.js";
import { hostBytes, sizesOf } from "../run/memory.js";
import type { Problem } from "../run/problem.js";
import { expectedSeconds } from "../run/speed.js";

/** Sizes of a problem, and the time and memory that a solve is expected to take. Where costs are learned from a stretch, they are those of the stretch, in proportion. */
export function expectedOf(problem: Problem, threads: number) {
  const { graph } = buildGraph(problem.priced, problem.numbers);
  const { frames, frameStart, edges, triplets } = graph;
  const whole = problem.detections?.x.length ?? frameStart[frames];
  const times = (count: number) => Math.round((count * whole) / frameStart[frames]);
  const sizes = {
    edges: times(edges),
    triplets: times(triplets.count),
    stored: triplets.kind === "csr" ? times(triplets.count) : 0,
  };
  const seconds = expectedSeconds(sizes, threads);
  return {
    detections: whole,
    edges: times(edges),
    triplets: times(triplets.count),
    storage: triplets.kind,
    cpu: { seconds: seconds.cpu, threads, bytes: times(hostBytes(sizesOf(problem.priced))) },
    gpu: { seconds: seconds.gpu, bytes: times(deviceBytes(graph)) },
  };
}
