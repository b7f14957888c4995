import { existsSync } from "node:fs";
import { BusyWork, spreadOf } from "../../dist/experiments/bench/timing.js";
import { readFrame } from "../../dist/files/images/frames.js";
import { openSession } from "../../dist/gpu/open-session.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { featureImage } from "../../dist/run/features/image.js";
import { deviceNamed } from "../device.mjs";
import { blobs } from "./images.mjs";

const DEFAULT_IMAGES = ["shared/images/cudasift-left.pgm", "../shared/images/cudasift-left.pgm"];

/**
 * What the scripts of this folder begin with: the device, its clocks and the image that is measured.
 * @param {string} device
 * @param {string | undefined} given file of the image, - for drawn blobs; without, CudaSift's where it is found, else blobs
 * @param {number} dispatches most that are timed in one pass
 */
export async function openFeatures(device, given, dispatches) {
  const session = await openSession(deviceNamed(device));
  if (session === null) throw new Error(`${device} names no GPU`);
  const now = () => performance.now() / 1000;
  const busy = await BusyWork.create(session, now);
  const timer = new PassTimer(session, dispatches);
  const source = given ?? DEFAULT_IMAGES.find((file) => existsSync(file)) ?? "-";
  const original = source === "-" ? blobs(1280, 960) : featureImage(await readFrame(source));
  /** Runs what `encode` records; the times of its timed passes in milliseconds. */
  const submit = async (encode) => {
    const encoder = session.device.createCommandEncoder();
    encode(encoder);
    timer.resolve(encoder);
    session.device.queue.submit([encoder.finish()]);
    return await timer.read();
  };
  /** Name and time in milliseconds of each of SIFT's dispatches, in a pass of its own. */
  const apart = async (gpu) => {
    await busy.run();
    let names = [];
    const times = await submit((encoder) => {
      names = gpu.encodeApart(encoder, () => timer.next());
    });
    return times.map((time, k) => ({ name: names[k].replace(/.*\//, "").replace(".wgsl", ""), time }));
  };
  /** Median and spread of the first dispatch's time over repetitions, after some to warm up. */
  const repeated = async (encode, repetitions) => {
    const times = [];
    for (let repetition = -3; repetition < repetitions; repetition++) {
      if (repetition % 10 === 0 || repetition === -3) await busy.run();
      const [one] = await submit((encoder) => encode(encoder, timer.next()));
      if (repetition >= 0) times.push(one);
    }
    return spreadOf(times);
  };
  const close = async () => {
    timer.destroy();
    busy.destroy();
    await session.close();
  };
  return { session, source, original, now, begin: now(), apart, repeated, close };
}
