import { writeWhole } from "../files/whole-file.js";
import {
  cpuEngine,
  FOLLOW_DEFAULTS,
  type FollowedImage,
  type FollowOptions,
  follow,
  gpuEngine,
  LOSSES,
} from "../pixels/features/follow/follow.js";
import { type Device, onDevice, ranOn } from "../run/device.js";
import { featureFrames } from "../run/features/link.js";
import { command, type Outcome, option, severalArguments } from "./declaration/declaration.js";
import { imageInput, outputFile } from "./options/files.js";
import { channel, luma, top } from "./options/images.js";
import { device } from "./options/running.js";
import { integer, nonNegative, oddSide, positive } from "./options/values.js";
import { many, notesOnce, textOf, whyText, withProvenance, wroteText } from "./print.js";

const { selection, ...DEFAULTS } = FOLLOW_DEFAULTS;

export const followCommand = command({
  group: "Images",
  summary: "Follow KLT's corners through a video: lost ones end, and new ones begin every few images.",
  arguments: {
    frames: severalArguments("folder, glob, images, a .y4m file, or - for Y4M on standard input", imageInput),
  },
  options: {
    output: option("-o, --output <file>", "write a row for each point of each image there (CSV)", outputFile),
    top: top("corners, and follow no more at a time").or(selection.most),
    distance: option("--distance <pixels>", "least distance of a new corner from all others", nonNegative).or(
      selection.distance,
    ),
    every: option("--every <n>", "select corners again every n images", integer(1, 1e6)).or(DEFAULTS.every),
    patch: option("--patch <pixels>", "side of the patch around a point that is compared, odd", oddSide(3, 61)).or(
      DEFAULTS.window,
    ),
    levels: option("--levels <n>", "levels of the pyramid", integer(1, 8)).or(DEFAULTS.levels),
    iterations: option("--iterations <n>", "iterations of a level at most", integer(1, 1000)).or(DEFAULTS.iterations),
    residual: option(
      "--residual <grey>",
      "lose points whose patch differs more from the last image's, rms",
      positive,
    ).or(DEFAULTS.residual),
    lastStep: option("--last-step <pixels>", "lose points whose last iteration still moved them further", positive).or(
      DEFAULTS.lastStep,
    ),
    dissimilarity: option(
      "--dissimilarity <grey>",
      "lose points whose patch an affine fit to their first image leaves further off, rms",
      positive,
    ).or(DEFAULTS.dissimilarity),
    luma: luma(),
    channel: channel(),
    device: device("corners are found and tracked"),
  },
  examples: [
    "rmap follow 'frames/*.png' -o tracks.csv",
    "ffmpeg -i video.mp4 -f yuv4mpegpipe - | rmap follow - --top 300 -o tracks.csv",
  ],
  notes: `Columns: frame, track, x, y, and dissimilarity: what an affine fit to the patch of the track's first image leaves, grey levels, rms.
A patch may grow lighter or darker. The affine fit also corrects the place, so that errors do not add up.`,
  async run({ frames }, { output, top, distance, patch, luma, channel, device: wanted, ...given }, { progress }) {
    const options: FollowOptions = {
      ...FOLLOW_DEFAULTS,
      ...given,
      window: patch,
      selection: { ...selection, most: top, distance },
    };
    return onDevice(wanted, async (device) => {
      const { session } = device;
      const { selection: corners, levels } = options;
      const images = featureFrames(frames, luma, { note: notesOnce(), ...(channel !== undefined && { channel }) });
      const rows: string[] = [];
      const followed: FollowedImage[] = [];
      const begin = (image: { width: number; height: number }) =>
        session === null ? cpuEngine(corners, options, levels) : gpuEngine(session, image, corners, options, levels);
      for await (const image of follow(images, options, begin)) {
        progress.show("image", followed.length + 1);
        for (const { track, x, y, dissimilarity } of image.points)
          rows.push(`${followed.length},${track},${x},${y},${dissimilarity}\n`);
        followed.push(image);
      }
      if (output !== undefined) writeWhole(output, `frame,track,x,y,dissimilarity\n${rows.join("")}`);
      return outcomeOf(frames, followed, output, device);
    });
  },
});

function outcomeOf(
  frames: readonly string[],
  followed: readonly FollowedImage[],
  output: string | undefined,
  device: Device,
): Outcome {
  const lost = Object.fromEntries(LOSSES.map((loss) => [loss, followed.reduce((sum, one) => sum + one.lost[loss], 0)]));
  const counts = followed.map(({ points }) => points.length);
  const present = counts.at(-1) ?? 0;
  const ended = Object.values(lost).reduce((sum, one) => sum + one, 0);
  const why = LOSSES.filter((loss) => lost[loss] > 0).map((loss) => `${lost[loss]} ${loss}`);
  const text = textOf([
    `${frames.join(" ")}: ${many(followed.length, "image")}, ${many(ended + present, "track")}, ${device.actual}${wroteText(output)}`,
    ["present", `${present} in the last image, ${Math.min(...counts)} at least`],
    ["lost", [String(ended), ...why].join(", ")],
  ]);
  return {
    text: `${text}${whyText(device)}`,
    json: withProvenance({
      device: ranOn(device),
      images: followed.length,
      tracks: ended + present,
      present,
      lost,
      output: output ?? null,
    }),
  };
}
