import { expect, test } from "vitest";
import { Workspace } from "../../src/gpu/workspace.js";
import { PlaneUpload, type Widening } from "../../src/pixels/gpu-planes.js";
import type { Samples } from "../../src/pixels/image.js";
import { useSoftwareSession } from "../gpu/software-session.js";

const session = useSoftwareSession();
const [width, height] = [7, 5];
const values = Array.from({ length: width * height }, (_, k) => (37 * k) % 256);
const TYPES: Record<string, Samples> = {
  u8: Uint8Array.from(values),
  u16: Uint16Array.from(values, (value) => 257 * value),
  f32: Float32Array.from(values, (value) => value / 7 - 3),
};

/** The words of a plane on the device, with four numbers before it and after it. */
async function sent(pixels: Samples, widening: Widening, integers = false): Promise<Uint32Array> {
  const work = new Workspace(session(), "plane");
  const count = pixels.length;
  work.storage("to", count + 8);
  const upload = new PlaneUpload(work, count, integers);
  const send = (encoder: GPUCommandEncoder) => upload.send(encoder, { width, height, pixels }, "to", widening);
  const words = await work.run(send, [{ name: "to" }], ([to]) => to.slice());
  work.destroy();
  return words;
}

test.each(Object.keys(TYPES))("numbers in %s are f32 on the device, to the last bit", async (type) => {
  const pixels = TYPES[type];
  for (const [minus, factor] of [
    [0, 1],
    [Math.fround(12.34), 1],
    [Math.fround(-0.7), Math.fround(255 / 311)],
  ]) {
    const words = await sent(pixels, { first: 4, minus, factor });
    const floats = new Float32Array(words.buffer);
    const expected = Float32Array.from(pixels, (value) => Math.fround(value - minus) * factor);
    expect(floats.subarray(4, 4 + pixels.length)).toEqual(expected);
    for (const beside of [floats.subarray(0, 4), floats.subarray(4 + pixels.length)]) {
      expect(beside.every((value) => value === 0)).toBe(true);
    }
  }
});

test("numbers are integers on the device where its kernels take those", async () => {
  const whole = Float32Array.from(values);
  for (const pixels of [TYPES.u8, TYPES.u16, whole]) {
    expect([...(await sent(pixels, {}, true))].slice(0, pixels.length)).toEqual([...pixels]);
  }
});
