import { createStorage, uploadStorage, uploadUniform } from "../gpu/buffers.js";
import { strideOver } from "../gpu/dispatch.js";
import type { GpuSession } from "../gpu/session.js";
import { loadKernel } from "../gpu/wgsl/kernel.js";
import type { StructLayout } from "../gpu/wgsl/struct-layout.js";
import type { LinkPricer } from "../map/gpu/gpu-memory.js";
import type { LinkFormulas, MovingDetections } from "./cost.js";
import { loadModel } from "./model-source.js";
import { ARC_RULE } from "./models/arc-length.js";
import type { Pricing } from "./price.js";

/** Units per cell: a coordinate is kept to 44 bits, of which 20 are its cell. */
export const CELL = 2 ** 20;

/**
 * Prices links on the session's device, where only detections cross to it: C and m in f32, from positions good to 2^-40 of the
 * scene's extent. The host's f64 pricing decides which links there are, and their prices in the certificate.
 * null where the cost has no formulas in WGSL, or positions are in space; then prices are to be uploaded.
 */
export async function createLinkPricer(
  session: GpuSession,
  { detections, cost, constants, parameters }: Pricing,
): Promise<LinkPricer | null> {
  const { wgsl, attributes = [] } = await loadModel(cost, detections);
  if (wgsl === undefined || detections.z !== undefined) return null;
  const values = attributes.flatMap((name) => [...(detections.attributes?.get(name) ?? [])]);
  const numbers = wgsl.parameters?.(constants, parameters) ?? Object.values(parameters);
  return async ({ edges, tail, head, cost, perEdge }) => {
    if (edges === 0) return;
    const file = new URL("./price-links.wgsl", import.meta.url);
    const kernel = await loadKernel(session, file, { texts: { formulas: textOf(wgsl) } });
    const { unit, at, middle } = inUnits(detections, kernel.struct("Detection"));
    const [middleX, middleY] = middle;
    const scene = { middleX, middleY, unit, timeStep: detections.timeStep, cell: CELL, edges };
    const upload = (label: string, array: readonly number[]) =>
      uploadStorage(session, label, Float32Array.from(array.length === 0 ? [0] : array));
    const own = {
      detections: uploadStorage(session, "detections", at),
      attributes: upload("attributes", values),
      parameters: upload("parameters", numbers),
      scene: uploadUniform(session, "scene", kernel.struct("Scene").pack([scene])),
      rule: upload("rule", ARC_RULE.flat()),
    };
    const unkept = perEdge === null ? createStorage(session, "numbers", edges * wgsl.numbers.length) : null;
    try {
      await session.scoped("prices of links", async () => {
        const { device } = session;
        const encoder = device.createCommandEncoder({ label: "prices of links" });
        const pass = encoder.beginComputePass({ label: "prices of links" });
        const group = kernel.bind({ ...own, tail, head, cost, perEdge: perEdge ?? unkept });
        kernel.dispatch(pass, group, [strideOver(kernel, edges)]);
        pass.end();
        device.queue.submit([encoder.finish()]);
        await device.queue.onSubmittedWorkDone();
      });
    } finally {
      for (const buffer of Object.values(own)) buffer.destroy();
      unkept?.destroy();
    }
  };
}

/** The text that price-links.wgsl imports as `formulas`. */
function textOf({ pair, numbers }: LinkFormulas): string {
  return [
    `const WIDTH = ${numbers.length}u;`,
    `fn pairCost(link: Link) -> f32 { return ${pair}; }`,
    "fn writeNumbers(link: Link, at: u32) {",
    ...numbers.map((number, k) => `perEdge[at + ${k}u] = ${number};`),
    "}",
  ].join("\n");
}

/** Positions about the middle of the scene as cells and offsets, and displacements of a time step, in units of a power of 2. */
export function inUnits(
  { x, y, vx, vy, timeStep }: MovingDetections,
  record: Pick<StructLayout, "words" | "wordOf">,
): {
  unit: number;
  at: Float32Array;
  middle: [number, number];
} {
  const [middleX, middleY] = [x, y].map(middle);
  let extent = 0;
  for (let i = 0; i < x.length; i++) {
    const step = Math.max(Math.abs(vx[i]), Math.abs(vy[i])) * timeStep;
    const away = Math.max(Math.abs(x[i] - middleX), Math.abs(y[i] - middleY));
    extent = Math.max(extent, away, step);
  }
  const unit = extent > 0 ? 2 ** Math.ceil(Math.log2(extent)) / 2 ** 40 : 1;
  const { words } = record;
  const at = new Float32Array(words * x.length);
  const fields = ["cellX", "cellY", "offsetX", "offsetY", "stepX", "stepY"].map((name) => record.wordOf(name));
  const [cellX, cellY, offsetX, offsetY, stepX, stepY] = fields;
  for (let i = 0, k = 0; i < x.length; i++, k += words) {
    const ux = (x[i] - middleX) / unit;
    const uy = (y[i] - middleY) / unit;
    at[k + cellX] = Math.round(ux / CELL);
    at[k + cellY] = Math.round(uy / CELL);
    at[k + offsetX] = ux - at[k + cellX] * CELL;
    at[k + offsetY] = uy - at[k + cellY] * CELL;
    at[k + stepX] = (vx[i] * timeStep) / unit;
    at[k + stepY] = (vy[i] * timeStep) / unit;
  }
  return { unit, at, middle: [middleX, middleY] };
}

function middle(values: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    if (values[i] < least) least = values[i];
    if (values[i] > most) most = values[i];
  }
  return values.length === 0 ? 0 : least + (most - least) / 2;
}
