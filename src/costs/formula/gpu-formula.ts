import { createStorage, uploadStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import type { LinkScorer } from "../../map/gpu/gpu-memory.js";
import { ARC_RULE } from "../models/arc-length.js";
import type { Pricing } from "../price.js";

const MOST_WORKGROUPS = 65535;

/** Detections as gpu-pricing.ts lays them out. */
interface Scene {
  readonly at: Float32Array;
  readonly unit: number;
  readonly middle: readonly [number, number];
  /** Units to a cell. */
  readonly cell: number;
}

/** Prices links on the device by a cost's formulas in WGSL; `width` numbers are kept per link. */
export function createFormulaScorer(
  session: GpuSession,
  { detections, parameters }: Pricing,
  {
    wgsl,
    width,
    attributes,
  }: { readonly wgsl: string; readonly width: number; readonly attributes: readonly string[] },
  { at, unit, middle, cell }: Scene,
): LinkScorer {
  const scene = [...middle, unit, detections.timeStep, cell, ...ARC_RULE.flat()];
  const values = attributes.flatMap((name) => [...(detections.attributes?.get(name) ?? [])]);
  return async ({ links, tail, head, cost, perLink }) => {
    if (links === 0) return;
    const kernel = await loadKernel(session, new URL("./price-links.wgsl", import.meta.url), {
      texts: { formula: wgsl },
    });
    const upload = (label: string, numbers: readonly number[]) =>
      uploadStorage(session, label, Float32Array.from(numbers.length === 0 ? [0] : numbers));
    const own = {
      detections: uploadStorage(session, "detections", at),
      attributes: upload("attributes", values),
      parameters: upload("parameters", Object.values(parameters)),
      scene: upload("scene", scene),
      links: uploadStorage(session, "count", Uint32Array.of(links)),
    };
    const unkept = perLink === null ? createStorage(session, "numbers", links * width) : null;
    try {
      await session.scoped("formulas", async () => {
        const { device } = session;
        const encoder = device.createCommandEncoder({ label: "formulas" });
        const pass = encoder.beginComputePass({ label: "formulas" });
        const group = kernel.bind({ ...own, tail, head, cost, perLink: perLink ?? unkept });
        kernel.dispatch(pass, group, Math.min(Math.ceil(links / kernel.workgroupSize[0]), MOST_WORKGROUPS));
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
