/** Made-up frames before the first real ones, so that no real frame waits for the engine to compile its code. */
import { randomStreams } from "../core/random.js";
import { streamDetections } from "../formats/detection-stream.js";
import type { Associator } from "../track/associate.js";
import { TrackRun } from "./track.js";
import { TRACK_DEFAULTS } from "./track-options.js";

/** Frames and objects of each made-up belt: more and more objects, so that arrays grow as they do later. */
const BELTS: readonly (readonly [number, number])[] = [
  [20, 30],
  [100, 300],
  [30, 1000],
];

/** Runs kept, as compiled code that refers to collected objects is thrown away. */
const kept: TrackRun[] = [];

/** Tracks made-up belts with `associator` from their text to their rows, which nobody sees. Returns the number of frames. */
export async function warmUp(associator: Associator): Promise<number> {
  let warmed = 0;
  for (const [frames, objects] of BELTS) {
    const run = new TrackRun({
      ...TRACK_DEFAULTS,
      associator,
      view: [0, 1, 0, 1],
      line: { axis: "x", at: 1.1 },
      onCrossing: () => {},
      onPassage: () => {},
    });
    await streamDetections("warm-up", made(frames, objects), {
      onStart: () => {},
      onRow: ({ frame, x, y, target }) => run.add({ frame, x, y, target }),
      onPause: () => run.flush(),
    });
    await run.end();
    kept.push(run);
    warmed += frames;
  }
  return warmed;
}

/** A belt as the text of each frame: objects at random places that move along x and come back as new ones, with jitter, slips and misses, so that candidates compete. */
async function* made(frames: number, objects: number): AsyncGenerator<Buffer> {
  const random = randomStreams(1).next().value;
  const x = Float64Array.from({ length: objects }, () => random.uniform(-0.1, 1.1));
  const y = Float64Array.from({ length: objects }, () => random.uniform(0, 1));
  const name = Array.from(x, (_, n) => n);
  const step = 1 / Math.sqrt(objects);
  let names = objects;
  yield Buffer.from("frame,x,y,target\n");
  for (let frame = 0; frame < frames; frame++) {
    let text = "";
    for (let n = 0; n < objects; n++) {
      x[n] += 0.8 * step + 0.03 * step * random.normal() + (random.uniform(0, 1) < 0.02 ? 0.3 * step : 0);
      if (x[n] > 1.15) {
        x[n] -= 1.25;
        name[n] = names++;
      }
      if (random.uniform(0, 1) < 0.03) continue;
      text += `${frame},${x[n].toFixed(6)},${(y[n] + 0.02 * step * random.normal()).toFixed(6)},${name[n]}\n`;
    }
    yield Buffer.from(text);
  }
}
