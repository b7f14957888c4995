/** Times that others published or that were measured of their programs, to set ours beside: milliseconds by `what` and size of the image. */
import type { FeaturesRow } from "../rows/features.js";
import type { FeaturesThesisRow } from "../rows/features-thesis.js";

export interface PeerTime {
  readonly who: string;
  readonly milliseconds: number;
}

type BySize = Readonly<Record<string, number>>;

const sizes = (names: readonly string[], times: readonly number[]): BySize =>
  Object.fromEntries(names.map((name, k) => [name, times[k]]));

const STANDARD = ["640x480", "1280x960", "1920x1080"];
const CUDASIFT = "CudaSift on an H100";
const OPENCV = "OpenCV 4.6 on one core";

/** The specification's measurements: CudaSift on one H100, results on the device; OpenCV 4.6.0 on one core of an EPYC. */
const METHODS: Readonly<Record<string, { readonly who: string; readonly times: BySize }>> = {
  "sift doubled": { who: CUDASIFT, times: sizes(STANDARD, [0.336, 0.66, 0.898]) },
  sift: { who: CUDASIFT, times: sizes(STANDARD, [0.254, 0.357, 0.448]) },
  harris: { who: OPENCV, times: sizes(STANDARD, [2.4, 9.6, 17.2]) },
  "klt selection": { who: OPENCV, times: sizes(STANDARD, [2.4, 9.6, 17.2]) },
  canny: { who: OPENCV, times: sizes(STANDARD, [1.8, 6.3, 10.3]) },
  "klt there and back": { who: `${OPENCV}, one way`, times: sizes(STANDARD, [27, 34, 38]) },
};

const THESIS = ["320x240", "512x384", "640x480", "800x600", "1024x768"];
const EXTRACTION = "openvidia, extraction with 128 numbers";
const TRACKING = "openvidia with matching and RANSAC";

/** Mücke 2007: table 5.1 on a GeForce 7900 GT, and fig. 5.13's times of Heymann on a GeForce 6 at 320 × 240. */
const TABLES: Readonly<Record<string, { readonly who: string; readonly times: BySize }>> = {
  [EXTRACTION]: { who: "GeForce 7900 GT, 2007", times: sizes(THESIS, [8, 14, 20, 28, 42]) },
  [TRACKING]: { who: "GeForce 7900 GT, 2007", times: sizes(THESIS, [27, 83, 152, 263, 435]) },
  sift: { who: "GeForce 6, Heymann 2005", times: sizes(THESIS, [58]) },
};

/** null where nobody's time is known. */
export function peerTime({ benchmark, what, size }: FeaturesRow | FeaturesThesisRow): PeerTime | null {
  const peer = (benchmark === "features" ? METHODS : TABLES)[what];
  const milliseconds = size === null ? undefined : peer?.times[size];
  return peer === undefined || milliseconds === undefined ? null : { who: peer.who, milliseconds };
}
