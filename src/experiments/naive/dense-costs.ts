import { type GPU, type IKernelRunShortcut, Input } from "gpu.js";
import { invariant } from "../../core/errors.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Instance, pairRuns } from "../../map/instance/instance.js";
import { type TripletRuleName, tripletRule } from "../../map/instance/triplet-rules.js";

/** What a gated-out link or triplet costs [K23]. */
export const GATED = 1e6;

/** Detections of every frame of an instance that the dense arrays can hold: as many in each, no births and no deaths. */
export function squareSize({ frames, frameStart, links, edges }: Instance): number {
  const n = frameStart[1];
  invariant(edges === links, () => "the baseline knows no births and deaths");
  for (let p = 0; p <= frames; p++) invariant(frameStart[p] === p * n, () => `frame ${p} has not ${n} detections`);
  return n;
}

/** Where link e lies in an array of frame pairs × n × n. */
export function denseIndex({ tail, head }: Instance, n: number, e: number): number {
  return tail[e] * n + (head[e] % n);
}

/** Frame pairs × n × n: C where there is a link, else GATED. */
export function denseLinks(instance: Instance, n: number): Float32Array {
  const dense = new Float32Array((instance.frames - 1) * n * n).fill(GATED);
  for (let e = 0; e < instance.links; e++) dense[denseIndex(instance, n, e)] = instance.cost[e];
  return dense;
}

/** Writes D of frame triple p, n × n × n by i, j, k, GATED where a link or the triplet is missing, into a buffer. */
export type TripletWriter = (p: number, to: GPUBuffer, byteOffset: number) => Promise<void>;

export function tripletWriter(session: GpuSession, gpu: GPU, instance: Instance, n: number): TripletWriter {
  return instance.triplets.kind === "csr" ? uploader(session, instance, n) : scorer(session, gpu, instance, n);
}

/** The cost of all n³ triplets of a frame triple, scored on the device by gpu.js from the numbers of its links. */
function scorer(session: GpuSession, gpu: GPU, instance: Instance, n: number): TripletWriter {
  const { triplets } = instance;
  invariant(triplets.kind === "implicit", () => "stored triplets are not scored");
  const score = SCORE[triplets.rule](gpu, n) as IKernelRunShortcut;
  const { width } = tripletRule(triplets.rule);
  /** The numbers of the links of a frame pair, one array each, and 1 where there is a link. */
  const planes = (pair: number) => {
    const arrays = Array.from({ length: width + 1 }, () => new Float32Array(n * n));
    const { linkStart, linkEnd } = pairRuns(instance, pair);
    for (let e = linkStart; e < linkEnd; e++) {
      const at = denseIndex(instance, n, e) - pair * n * n;
      for (let w = 0; w < width; w++) arrays[w][at] = triplets.perLink[width * e + w];
      arrays[width][at] = 1;
    }
    return arrays.map((array) => new Input(array as never, [n, n]));
  };
  return async (p, to, byteOffset) => {
    // The handle's buffer is the kernel's own, which the next call writes again.
    const result = (await score(...([...planes(p), ...planes(p + 1)] as never[]))) as unknown as Handle;
    const encoder = session.device.createCommandEncoder({ label: "triplet costs" });
    encoder.copyBufferToBuffer(result.buffer, 0, to, byteOffset, 4 * n ** 3);
    session.device.queue.submit([encoder.finish()]);
    result.delete();
  };
}

interface Handle {
  readonly buffer: GPUBuffer;
  delete(): void;
}

/** Each rule as the gpu.js kernel that the naive engine scores all triplets of a frame triple with. */
const SCORE: Record<TripletRuleName, (gpu: GPU, n: number) => unknown> = {
  absolute: scoreAbsolute,
  square: scoreSquare,
};

function scoreAbsolute(gpu: GPU, n: number): unknown {
  return gpu
    .createKernel(function (
      this: { thread: { x: number; y: number; z: number } },
      before: number[][],
      hasBefore: number[][],
      after: number[][],
      hasAfter: number[][],
    ) {
      let cost = 1000000;
      if (hasBefore[this.thread.z][this.thread.y] * hasAfter[this.thread.y][this.thread.x] > 0) {
        cost = Math.abs(before[this.thread.z][this.thread.y] - after[this.thread.y][this.thread.x]);
      }
      return cost;
    })
    .setOutput([n, n, n])
    .setPipeline(true);
}

function scoreSquare(gpu: GPU, n: number): unknown {
  return gpu
    .createKernel(function (
      this: { thread: { x: number; y: number; z: number } },
      beforeX: number[][],
      beforeY: number[][],
      hasBefore: number[][],
      afterX: number[][],
      afterY: number[][],
      hasAfter: number[][],
    ) {
      let cost = 1000000;
      if (hasBefore[this.thread.z][this.thread.y] * hasAfter[this.thread.y][this.thread.x] > 0) {
        const x = beforeX[this.thread.z][this.thread.y] - afterX[this.thread.y][this.thread.x];
        const y = beforeY[this.thread.z][this.thread.y] - afterY[this.thread.y][this.thread.x];
        cost = x * x + y * y;
      }
      return cost;
    })
    .setOutput([n, n, n])
    .setPipeline(true);
}

/** Stored costs have no formula: they are spread out on the host. */
function uploader(session: GpuSession, instance: Instance, n: number): TripletWriter {
  const { triplets, head } = instance;
  invariant(triplets.kind === "csr", () => "implicit triplets are not stored");
  const dense = new Float32Array(n ** 3);
  return async (p, to, byteOffset) => {
    dense.fill(GATED);
    const { linkStart, linkEnd } = pairRuns(instance, p);
    for (let e = linkStart; e < linkEnd; e++) {
      const row = n * (denseIndex(instance, n, e) - p * n * n);
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
        dense[row + (head[triplets.successor[t]] % n)] = triplets.cost[t];
      }
    }
    session.device.queue.writeBuffer(to, byteOffset, dense);
  };
}
