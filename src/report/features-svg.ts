/** Keypoints, and matches of two images, drawn over the images as self-contained SVGs. */
import { imageFrame, type PlotFrame } from "./plot-frame.js";
import { trackPalette, wrongColour } from "./track-colours.js";
import type { PictureImage } from "./track-picture.js";
import { underlay } from "./tracks-svg.js";

export interface KeypointPicture {
  /** The first line is the heading; more lines may follow it. */
  readonly title: string;
  readonly image: PictureImage;
  /** Pixels of the image. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Pixels, and radians with y down; without them keypoints are corners and drawn as rings of one size. */
  readonly sigma?: Float32Array;
  readonly angle?: Float32Array;
  /** Pixels, of spots: their rings. */
  readonly diameter?: Float32Array;
  /** Of targets that move: where each came from, in pixels from its place, NaN where that is not known; over the last `images`. */
  readonly way?: { readonly x: Float32Array; readonly y: Float32Array; readonly images: number };
}

export interface MatchPicture {
  readonly title: string;
  readonly images: readonly [PictureImage, PictureImage];
  /** Of pair k: where it is in the first image and in the second. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly u: Float32Array;
  readonly v: Float32Array;
  /** 1 where a pair agrees with the model; null without a model. */
  readonly inlier: Uint8Array | null;
}

/** Radius of a keypoint's circle over its σ: the side of a cell of SIFT's descriptor. */
const CIRCLE = 3;
/** Radius of a corner's ring and width of its line, and of a target's, which lies in noise; tenths of a pixel of the picture. */
const CORNER = { ring: 35, line: 11 };
const TARGET = { ring: 60, line: 18 };
/** Between two images, over the wider one's width. */
const GAP = 0.02;
/** Width of a match's line, and of the dots at its ends, in tenths of a pixel of the picture. */
const LINE = 5;
const DOT = 34;
/** Seen on grey images as well as beside red. */
const matchColour = "#2f9bff";
/** On images, where blue is hard to see. */
const markColour = trackPalette[1];

/** A circle of 3σ a keypoint with a line into its direction; keypoints of one place share the circle. A ring a corner, or around a spot; a target's with the way that it came. */
export function keypointsSvg({ title, image, x, y, sigma, angle, diameter, way }: KeypointPicture): string {
  const ringed =
    way !== undefined
      ? `target (${x.length}), and its way over the last ${way.images} images`
      : diameter === undefined
        ? `corner (${x.length})`
        : `spot (${x.length}), in a ring of twice its diameter`;
  const legend = [
    sigma === undefined
      ? { sample: `<circle r="3.5" stroke="${markColour}" stroke-width="1.6" fill="none"/>`, text: ringed }
      : {
          sample: `<circle r="5" stroke="${markColour}" stroke-width="1.4" fill="none"/><path d="M0 0h5" stroke="${markColour}" stroke-width="1.4"/>`,
          text: `keypoint (${x.length}): radius 3σ, and its direction`,
        },
  ];
  const frame = imageFrame(image.width, image.height, { title, legend });
  const pixel = tenthsOf(frame);
  const { ring, line } = way === undefined ? CORNER : TARGET;
  const marks = new Set<string>();
  // A ring of twice the diameter leaves the spot to be seen.
  const radii = diameter ?? sigma?.map((width) => CIRCLE * width);
  for (let k = 0; k < x.length; k++) {
    const radius = radii === undefined ? ring : Math.max(Math.round(radii[k] * pixel), 8);
    const [cx, cy] = [frame.x(x[k]), frame.y(y[k])];
    const arc = `a${radius} ${radius} 0 1 0`;
    marks.add(`M${cx - radius} ${cy}${arc} ${2 * radius} 0${arc} ${-2 * radius} 0`);
    // NaN compares as false.
    if (way !== undefined && Math.hypot(way.x[k], way.y[k]) * pixel > radius)
      marks.add(`M${cx} ${cy}L${frame.x(x[k] + way.x[k])} ${frame.y(y[k] + way.y[k])}`);
    if (angle !== undefined) {
      marks.add(`M${cx} ${cy}l${Math.round(radius * Math.cos(angle[k]))} ${Math.round(radius * Math.sin(angle[k]))}`);
    }
  }
  const data = [...marks].join("");
  return frame.wrap([
    underlay(frame, image),
    // Dark below and bright above, so that it is seen on any image.
    `<path d="${data}" stroke="#000" stroke-opacity=".45" stroke-width="${2 * line}"/>`,
    `<path d="${data}" stroke="${markColour}" stroke-width="${line}"/>`,
  ]);
}

/** Both images beside each other, a dot on both places of a match and a thin line between, so that the images are seen; matches that disagree with the model are red. */
export function matchesSvg({ title, images, x, y, u, v, inlier }: MatchPicture): string {
  const [a, b] = images;
  const shift = a.width + Math.round(GAP * Math.max(a.width, b.width));
  const agrees = (k: number) => inlier === null || inlier[k] === 1;
  const all = [...x.keys()];
  const line = (style: string) => `<path d="M-12 0h24" ${style}/>`;
  const good = line(`stroke="${matchColour}" stroke-width="2"`);
  const count = (wanted: boolean) => all.filter((k) => agrees(k) === wanted).length;
  const legend =
    inlier === null
      ? [{ sample: good, text: `match (${x.length})` }]
      : [
          { sample: good, text: `match that agrees with the homography (${count(true)})` },
          { sample: line(`stroke="${wrongColour}" stroke-width="1.2"`), text: `match that does not (${count(false)})` },
        ];
  const labels = { title, x: `x (px); the second image begins at ${shift}`, legend };
  const frame = imageFrame(shift + b.width, Math.max(a.height, b.height), labels);
  const drawn = (good: boolean, colour: string) => {
    const ends = all
      .filter((k) => agrees(k) === good)
      .map((k) => [`${frame.x(x[k])} ${frame.y(y[k])}`, `${frame.x(u[k] + shift)} ${frame.y(v[k])}`]);
    const lines = ends.map(([from, to]) => `M${from}L${to}`).join("");
    const dots = ends.flatMap((both) => both.map((place) => `M${place}h0`)).join("");
    return [
      `<path d="${lines}" stroke="${colour}" stroke-width="${LINE}" stroke-opacity=".55"/>`,
      `<path d="${dots}" stroke="${colour}" stroke-width="${DOT}" stroke-linecap="round"/>`,
    ];
  };
  return frame.wrap([
    underlay(frame, a),
    underlay(frame, b, shift),
    ...drawn(false, wrongColour),
    ...drawn(true, matchColour),
  ]);
}

/** Motion of points over the first image: a line from where each was to where it is, with a dot at the end. */
export function motionSvg(picture: Omit<MatchPicture, "images" | "inlier"> & { readonly image: PictureImage }): string {
  const { title, image, x, y, u, v } = picture;
  const dot = `<circle cx="9" r="2.6" fill="${markColour}"/>`;
  const sample = `<path d="M-12 0h21" stroke="${markColour}" stroke-width="2"/>${dot}`;
  const legend = [{ sample, text: `point from the first image to the second (${x.length})` }];
  const frame = imageFrame(image.width, image.height, { title, legend });
  const ends = [...x.keys()].map((k) => [frame.x(x[k]), frame.y(y[k]), frame.x(u[k]), frame.y(v[k])]);
  const lines = ends.map(([px, py, qx, qy]) => `M${px} ${py}L${qx} ${qy}`).join("");
  const dots = ends.map(([, , qx, qy]) => `M${qx} ${qy}h0`).join("");
  return frame.wrap([
    underlay(frame, image),
    `<path d="${lines}" stroke="#000" stroke-opacity=".45" stroke-width="24"/>`,
    `<path d="${lines}" stroke="${markColour}" stroke-width="12"/>`,
    `<path d="${dots}" stroke="${markColour}" stroke-width="42" stroke-linecap="round"/>`,
  ]);
}

/** Tenths of a pixel of the picture a pixel of the image takes. */
const tenthsOf = (frame: PlotFrame) => (frame.x(1000) - frame.x(0)) / 1000;
