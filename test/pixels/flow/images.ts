import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readFrame } from "../../../src/files/images/frames.js";
import { readFlo } from "../../../src/formats/flo.js";
import { createCpuFlow } from "../../../src/pixels/flow/cpu-flow.js";
import type { FlowPrecision } from "../../../src/pixels/flow/options.js";
import { type GreyImage, toGrey } from "../../../src/pixels/image.js";
import { type FlowCase, makeFlowPair } from "../../../src/simulation/flow-pairs.js";

/** Pairs with true flow that come without a licence: not in the project, but beside it where it is developed. */
const MIDDLEBURY = fileURLToPath(new URL("../../../../shared/flow/", import.meta.url));
export const hasMiddlebury = existsSync(MIDDLEBURY);

export async function middlebury(name: string) {
  const frame = async (number: number) => toGrey(await readFrame(`${MIDDLEBURY}${name}/frame${number}.png`));
  return { first: await frame(10), second: await frame(11), truth: readFlo(`${MIDDLEBURY}${name}/flow10.flo`) };
}

export function madePair(flowCase: FlowCase, seed: number, width?: number, height?: number) {
  const pair = makeFlowPair(flowCase, seed, width, height);
  const image = (grey: Uint8Array): GreyImage => ({ ...pair, pixels: Float32Array.from(grey) });
  return { first: image(pair.first), second: image(pair.second), truth: pair.truth };
}

export const now = () => performance.now() / 1000;
export const cpu = (precision: FlowPrecision = "f32") => createCpuFlow({ precision, now });
