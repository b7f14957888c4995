import { describe, expect, it } from "vitest";
import type { FlowField } from "../../../src/core/flow-field.js";
import { computeFlow, computeFlows, type ImagePair } from "../../../src/pixels/flow/flow.js";
import { FLOW_PRESETS, type FlowOptions } from "../../../src/pixels/flow/options.js";
import { createSimdFlow } from "../../../src/pixels/flow/simd-flow.js";
import { layOut } from "../../../src/pixels/flow/simd-memory.js";
import { scoreFlow } from "../../../src/scores/flow.js";
import { cpu, madePair, now } from "./images.js";

const { paper, quality } = FLOW_PRESETS;

async function onCores(threads: number, pairs: readonly ImagePair[], options: FlowOptions, repeat = 1) {
  const steps = createSimdFlow({ threads, now });
  try {
    for (let k = 1; k < repeat; k++) await computeFlows(pairs, options, steps);
    return await computeFlows(pairs, options, steps);
  } finally {
    steps.destroy();
  }
}
const bits = ({ u, v }: FlowField) => [u, v].map((values) => Buffer.from(values.buffer).toString("base64"));

describe("the flow four pixels at a time, against the twin in f64", () => {
  it.each([
    [1, 1],
    [17, 9],
    [1, 40],
    [70, 3],
    [4, 4],
    [131, 67],
    [48, 128],
  ])("%i × %i pixels, in both presets", async (width, height) => {
    const pair = madePair("turn", 1, width, height);
    for (const options of [
      { ...paper, iterations: 23 },
      { ...quality, warps: 3, iterations: 12 },
    ]) {
      const [flow] = await onCores(1, [pair], options);
      const twin = await computeFlow(pair.first, pair.second, options, cpu());
      const { epe, quantiles } = scoreFlow(flow, twin);
      expect([epe < 2e-5, quantiles.p999 < 1e-3]).toEqual([true, true]);
      expect(flow.iterations).toEqual(twin.iterations);
    }
  });

  it("other zooms, medians and presmoothings, and a stop by epsilon where the twin stops", async () => {
    const pair = madePair("swirl", 2, 90, 70);
    for (const change of [
      { zoom: 0.7, presmooth: 0, median: 3, epsilon: 0.02, iterations: 40 },
      { zoom: 0.9, presmooth: 2.5, levels: 4, iterations: 1, warps: 2 },
      { iterations: 0 },
    ]) {
      const options = { ...paper, ...change };
      const [flow] = await onCores(1, [pair], options);
      const twin = await computeFlow(pair.first, pair.second, options, cpu());
      expect(scoreFlow(flow, twin).epe).toBeLessThan(2e-5);
      expect(flow.iterations).toEqual(twin.iterations);
    }
  });

  it("has the same bits on any number of threads, in a batch, and again", async () => {
    const pairs = [madePair("turn", 1, 150, 130), madePair("shift", 2, 150, 130)];
    const options = { ...quality, warps: 2 };
    const alone = (await Promise.all(pairs.map((pair) => onCores(1, [pair], options)))).map(([flow]) => bits(flow));
    // The other threads begin after a time.
    for (const threads of [1, 3]) expect((await onCores(threads, pairs, options, 8)).map(bits)).toEqual(alone);
  });

  it("images that WebAssembly cannot address are refused", () => {
    const size = { width: 12_000, height: 12_000 };
    expect(() => layOut("", 1, [size], paper, { threads: 1, now })).toThrow(
      /flow: a pair of 12000 × 12000 pixels take 1\d.\d GiB, and WebAssembly has 4; choose a GPU/,
    );
  });
});
