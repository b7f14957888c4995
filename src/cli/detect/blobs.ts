import { InvalidArgumentError } from "commander";
import { type Blob, blobsOnThreads, detectBlobs } from "../../pixels/blobs/blobs.js";
import {
  BLOB_DEFAULTS,
  DIAMETER_TOLERANCE,
  isBlank,
  LEAST_DIAMETER,
  MOST_DIAMETER,
  requireRoom,
  requireSpots,
} from "../../pixels/blobs/options.js";
import { toPlane } from "../../pixels/image.js";
import { stretchedPicture } from "../../run/underlay.js";
import { option, toggle } from "../declaration/declaration.js";
import { top } from "../options/images.js";
import { threads } from "../options/running.js";
import { nonNegative, positive } from "../options/values.js";
import { many, notesOnce } from "../print.js";
import { detectMethod } from "./method.js";
import { pictureOfFound } from "./options.js";
import { detectEach } from "./output.js";

export const blobsMethod = detectMethod({
  summary: "spots of a few pixels with place, size and contrast, by the Laplacian of Gaussian (Lindeberg 1998)",
  options: {
    diameter: option(
      "--diameter <pixels>",
      "of the spots, about (1.2 times their width at half height), or LEAST:GREATEST",
      diameters,
    ).or(BLOB_DEFAULTS.diameter, BLOB_DEFAULTS.diameter.join(":")),
    dark: toggle("--dark", "find spots that are darker than what is around them"),
    falseAlarms: option("--false-alarms <n>", "spots to be expected where an image is noise alone", positive).or(
      BLOB_DEFAULTS.falseAlarms,
    ),
    threshold: option("--threshold <score>", "least score, in σ of the noise, instead of --false-alarms", positive),
    contrast: option("--contrast <levels>", "least contrast, in the image's grey levels", nonNegative).or(
      BLOB_DEFAULTS.contrast,
    ),
    top: top("spots of an image"),
    threads: threads(" of the CPU, one image each"),
    picture: pictureOfFound(),
  },
  examples: [
    "rmap detect frames/ --method blobs -o spots.csv && rmap solve spots.csv -o tracks/",
    "rmap detect film.tif --method blobs --diameter 7 --false-alarms 0.1 -o spots.csv --picture pictures/",
    "rmap detect cells.ome.tif --method blobs --channel 2 --diameter 5:15 --dark -o spots.csv",
  ],
  run: async (inputs, flags) => {
    const { diameter, falseAlarms, contrast } = flags;
    const dark = flags.dark === true;
    const options = { diameter, dark, falseAlarms, threshold: flags.threshold ?? null, contrast };
    const pool = blobsOnThreads(flags.threads);
    const note = notesOnce();
    const detector = {
      extension: ".csv",
      kernels: true,
      points: "spot",
      plane: toPlane,
      underlay: stretchedPicture,
      threads: flags.threads,
    };
    try {
      return await detectEach(inputs, flags, detector, async (image, session, { frame, place, alone }) => {
        if (alone) requireSpots(image, options, place);
        else requireRoom(image, options, place);
        const blank = isBlank(image);
        if (blank) note(`${place}: every pixel is ${image.pixels[0]}, so it has no spots.`);
        const isHere = session !== null || alone || blank;
        const found = isHere
          ? await detectBlobs(image, options, { device: session })
          : await pool.find({ image, options });
        const spots = found.blobs.slice(0, flags.top);
        const column = (name: keyof Blob) => Float32Array.from(spots, (spot) => spot[name]);
        return {
          summary: `${many(spots.length, "spot")} of score ${found.threshold.toFixed(2)} or more`,
          json: { spots: spots.length, threshold: found.threshold, whiteNoise: found.white },
          content: formatBlobs(frame, spots),
          marks: { x: column("x"), y: column("y"), diameter: column("diameter") },
        };
      });
    } finally {
      await pool.close();
    }
  },
});

function diameters(text: string): readonly [number, number] {
  const given = text.split(":");
  const [first, last = first] = given.map(positive);
  if (given.length > 2 || first > last) throw new InvalidArgumentError("Give a diameter, or LEAST:GREATEST.");
  if (first < LEAST_DIAMETER || last > MOST_DIAMETER)
    throw new InvalidArgumentError(`Give ${LEAST_DIAMETER} to ${MOST_DIAMETER} pixels.`);
  const tolerance = given.length === 1 ? DIAMETER_TOLERANCE : 1;
  return [Math.max(LEAST_DIAMETER, first / tolerance), last * tolerance];
}

/** To a ten thousandth of a pixel, which is a hundredth of the least error. */
function formatBlobs(frame: number, blobs: readonly Blob[]): string {
  const rows = blobs.map(({ x, y, diameter, contrast, score }) => {
    const cells = [x.toFixed(4), y.toFixed(4), diameter.toFixed(3), Number(contrast.toPrecision(6)), score.toFixed(3)];
    return `${frame},${cells.join(",")}\n`;
  });
  return `frame,x,y,diameter,contrast,score\n${rows.join("")}`;
}
