/** What the measurements of features share: an image on a device, and jobs that are done one by one, so that those done before can be left out. */

import type { Plane } from "../../dist/pixels/image.js";
import { provenance } from "../../dist/rows/provenance.js";
import type { FeaturesRow } from "../rows/features.js";
import type { FeaturesThesisRow } from "../rows/features-thesis.js";
import type { FeatureClock } from "./clock.js";

export type FeatureRow = FeaturesRow | FeaturesThesisRow;

/** Where and on what is measured. */
export interface Bench {
  readonly clock: FeatureClock;
  /** As asked for on the command line. */
  readonly requested: string;
  /** The file, or what else the image is. */
  readonly source: string;
}

/** One measurement; `rows` compares the answer with its twin first, and what does not agree has no time. */
export interface Job {
  /** Of the thesis; "cudasift" for the times that CudaSift and OpenCV are compared with. */
  readonly figure: string;
  /** The rows that it makes. */
  readonly what: readonly string[];
  /** WIDTHxHEIGHT; null where no image is involved. */
  readonly size: string | null;
  readonly rows: () => Promise<FeatureRow[]>;
}

/** An image in one size, made when the first job asks for it. */
export interface SizedImage {
  readonly size: string;
  readonly image: () => Plane;
}

/** Least share of the twin's answer that the device must find. */
export const LEAST_AGREEMENT = 0.995;
/** Of tracks: where the border cuts a window, the steps of a level may not settle, and end elsewhere after other roundings. */
export const LEAST_TRACKS = 0.99;

/** Whether a row of an earlier run says what this job would: of the same figure, size and image, device and revision. */
export function isDone({ figure, what, size }: Job, known: readonly FeatureRow[], bench: Bench): boolean {
  const { version, revision } = provenance(new Date());
  const actual = bench.clock.session.description.name;
  return what.every((name) =>
    known.some(
      (row) =>
        row.what === name &&
        row.size === size &&
        row.image === bench.source &&
        (row.benchmark === "features" ? "cudasift" : row.figure) === figure &&
        row.device.actual === actual &&
        row.version === version &&
        row.revision === revision,
    ),
  );
}

/** What every row of this bench has. */
export function placeOf({ clock, requested, source }: Bench) {
  return {
    image: source,
    device: { requested, actual: clock.session.description.name },
    repetitions: clock.repetitions,
    ...provenance(new Date()),
  };
}
