import { createStorage, uploadStorage } from "../gpu/buffers.js";
import { openGpuJs } from "../gpu/gpu-js.js";
import type { GpuSession } from "../gpu/session.js";
import { loadKernel } from "../gpu/wgsl/kernel.js";
import type { LinkScorer } from "../map/gpu/gpu-memory.js";
import type { LinkKernel, MovingDetections } from "./cost.js";
import { createFormulaScorer } from "./formula/gpu-formula.js";
import { loadModel } from "./model-source.js";
import { ARC_RULE } from "./models/arc-length.js";
import type { Pricing } from "./price.js";

/** Numbers per detection in the kernels' array. */
const LAYOUT = 6;
/** Units to a cell: of the 44 bits that a coordinate is kept to, 20 go to its cell. */
export const CELL = 2 ** 20;
/** Detections that gpu.js can tell apart: it holds their numbers in f32. */
const MOST_DETECTIONS = 2 ** 24;
const MOST_WORKGROUPS = 65535;

/**
 * Prices links on the session's device with gpu.js, where only detections cross to it: C and m in f32, from positions good to
 * 2^-40 of the scene's extent. Which links there are, and what the certificate prices them at, is the host's f64 pricing.
 * null where the cost has no kernels or gpu.js could not number the detections; then prices are to be uploaded.
 */
export async function createLinkScorer(session: GpuSession, pricing: Pricing): Promise<LinkScorer | null> {
  const { detections, cost, constants, parameters } = pricing;
  const { kernels, wgsl, width, attributes = [] } = await loadModel(cost);
  if (wgsl !== undefined) {
    return createFormulaScorer(session, pricing, { wgsl, width, attributes }, { ...inUnits(detections), cell: CELL });
  }
  if (kernels === undefined || detections.x.length > MOST_DETECTIONS) return null;
  const { unit, at } = inUnits(detections);
  const factors = [CELL, ...kernels.factors(unit, constants, parameters)];

  return async ({ links, tail, head, cost: costs, perLink }) => {
    if (links === 0) return;
    const endsKernel = await loadKernel(session, new URL("./link-ends.wgsl", import.meta.url));
    const { device } = session;
    const gpuJs = await openGpuJs(session);
    const own: GPUBuffer[] = [];
    const keep = (buffer: GPUBuffer): GPUBuffer => {
      own.push(buffer);
      return buffer;
    };
    try {
      await session.scoped("scoring", async () => {
        const tailNumber = keep(createStorage(session, "tails", links));
        const headNumber = keep(createStorage(session, "heads", links));
        const encoder = device.createCommandEncoder({ label: "link ends" });
        const pass = encoder.beginComputePass({ label: "link ends" });
        const workgroups = Math.ceil(links / endsKernel.workgroupSize[0]);
        const group = endsKernel.bind({ tail, head, tailNumber, headNumber });
        endsKernel.dispatch(pass, group, Math.min(workgroups, MOST_WORKGROUPS));
        pass.end();
        device.queue.submit([encoder.finish()]);

        const positions = keep(uploadStorage(session, "detections", at));
        const [tails, heads] = [tailNumber, headNumber].map((buffer) => gpuJs.asArgument(buffer, [links]));
        const inputs = [gpuJs.asArgument(positions, [LAYOUT, detections.x.length]), tails, heads, factors];
        const run = async (kernel: LinkKernel, into: GPUBuffer): Promise<void> => {
          const scored = gpuJs.gpu
            .createKernel(kernel as never)
            .setOutput([links])
            .setPipeline(true)
            .setConstants({ rule: ARC_RULE as number[][] });
          const result = (await scored(...(inputs as never[]))) as unknown as ReturnType<typeof gpuJs.asArgument>;
          const copier = device.createCommandEncoder({ label: "scores" });
          copier.copyBufferToBuffer(result.buffer, 0, into, 0, result.buffer.size);
          device.queue.submit([copier.finish()]);
          result.delete();
        };
        await run(kernels.cost, costs);
        if (perLink !== null) await run(kernels.perLink, perLink);
      });
    } finally {
      await gpuJs.release();
      for (const buffer of own) buffer.destroy();
    }
  };
}

/** Positions about the middle of the scene as cells and offsets, and displacements of a time step, in units of a power of 2. */
export function inUnits({ x, y, vx, vy, timeStep }: MovingDetections): {
  unit: number;
  at: Float32Array;
  middle: [number, number];
} {
  const [middleX, middleY] = [x, y].map(middle);
  let extent = 0;
  for (let i = 0; i < x.length; i++) {
    const step = Math.max(Math.abs(vx[i]), Math.abs(vy[i])) * timeStep;
    extent = Math.max(extent, Math.abs(x[i] - middleX), Math.abs(y[i] - middleY), step);
  }
  const unit = extent > 0 ? 2 ** Math.ceil(Math.log2(extent)) / 2 ** 40 : 1;
  const at = new Float32Array(LAYOUT * x.length);
  for (let i = 0, k = 0; i < x.length; i++, k += LAYOUT) {
    const ux = (x[i] - middleX) / unit;
    const uy = (y[i] - middleY) / unit;
    const cellX = Math.round(ux / CELL);
    const cellY = Math.round(uy / CELL);
    at[k] = cellX;
    at[k + 1] = cellY;
    at[k + 2] = ux - cellX * CELL;
    at[k + 3] = uy - cellY * CELL;
    at[k + 4] = (vx[i] * timeStep) / unit;
    at[k + 5] = (vy[i] * timeStep) / unit;
  }
  return { unit, at, middle: [middleX, middleY] };
}

function middle(values: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return values.length === 0 ? 0 : least + (most - least) / 2;
}
