import { ranOn } from "../../run/device.js";
import { openFlow } from "../../run/flow.js";
import { now } from "../clock.js";
import { anyArguments, command, refuseUsage } from "../declaration/declaration.js";
import { imageInput } from "../options/files.js";
import { type FlowFlags, flowFlags, flowOptions } from "../options/flow.js";
import { velocitiesOf } from "./detections.js";
import { makePair, scoreFields } from "./known.js";
import { type FlowRun, flowOfFrames, flowOfPair } from "./of-images.js";

export const flow = command({
  group: "Images",
  summary: "Compute dense optical flow (TV-L1) of image pairs and sequences, and velocities of detections from it.",
  arguments: {
    images: anyArguments(
      "two images, or a sequence: a folder or glob of PNG, TIFF, PGM, PPM, a TIFF stack, a .npy (T, H, W), a .y4m, - for Y4M on standard input",
      imageInput,
    ),
  },
  options: flowFlags(),
  examples: [
    "rmap flow a.png b.png -o ab.flo --picture ab.png",
    "rmap flow a.png b.png --preset paper --truth true.flo --json",
    "rmap flow frames/ -o flows/",
    "ffmpeg -i film.mp4 -f yuv4mpegpipe - | rmap flow - -o flows/",
    "rmap flow frames/ --detections spots.csv -o moving.csv && rmap solve moving.csv -o results/spots",
    "rmap flow --make swirl --seed 1 -o swirl && rmap flow swirl/0.png swirl/1.png --truth swirl/truth.flo --border 8",
  ],
  async run({ images = [] }, flags, { progress, refuse }) {
    if (flags.make !== undefined) return makePair(flags.make, flags, images);
    refuse(["seed"], "is for --make; leave it out");
    if (flags.score) return scoreFields(images, flags);
    if (images.length === 0) refuseUsage("flow: no images given", "name two images or a sequence");
    refuseUnused(flags);
    const options = flowOptions(flags);
    const { steps, why, close } = await openFlow({ ...flags, profile: flags.profile === true, now });
    const device = ranOn({ requested: flags.device, actual: steps.device, why });
    const run: FlowRun = { flags, options, steps, device, progress };
    try {
      if (flags.detections !== undefined) return await velocitiesOf(images, flags.detections, run);
      return images.length === 2 ? await flowOfPair(images, run) : await flowOfFrames(images, run);
    } finally {
      await close();
    }
  },
});

/** Refuses options that would have no effect. */
function refuseUnused({ detections, around, fill, truth, picture, border }: FlowFlags): void {
  if (detections === undefined && (around > 0 || fill !== undefined))
    refuseUsage("flow: --around and --fill are for --detections", "give detections, or leave them out");
  if (detections !== undefined && (truth !== undefined || picture !== undefined))
    refuseUsage("flow: --truth and --picture are for a pair", "leave them out");
  if (truth === undefined && border > 0)
    refuseUsage("flow: --border is for --truth", "give the truth, or leave it out");
}
