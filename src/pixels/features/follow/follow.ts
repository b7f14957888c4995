/**
 * KLT through a video (Shi & Tomasi 1994; Sinha et al. 2006, as in Mücke 2007 §3.3.5 and §5.2): corners are followed from image to image, lost by
 * thresholds and by how little they look as in their first image, and selected again every few images away from those that are left.
 */
import { InputError } from "../../../core/errors.js";
import type { GpuSession } from "../../../gpu/session.js";
import { bilinear, type GreyImage, inFloats, type Plane, type Size } from "../../image.js";
import {
  type CornerCandidate,
  type CornerOptions,
  candidatesIn,
  chooseCorners,
  cornerResponse,
  createGpuCorners,
  KLT_SELECTION_DEFAULTS,
} from "../corners.js";
import { createGpuAffine, createGpuKlt } from "../klt.js";
import {
  AFFINE_DEFAULTS,
  type AffineFit,
  type AffineStart,
  type FittingOptions,
  fitAffine,
  UNDEFORMED,
} from "../klt-affine.js";
import {
  KLT_DEFAULTS,
  KLT_LEVELS,
  KLT_STATUS,
  type KltOptions,
  type KltPoints,
  type KltTracks,
} from "../klt-options.js";
import { kltPyramid, trackKltBothWays } from "../klt-track.js";

export interface FollowOptions extends KltOptions {
  readonly levels: number;
  readonly selection: CornerOptions;
  /** Images from one selection to the next. */
  readonly every: number;
  /** Largest residual from one image to the next, and largest rest of the affine fit to the window of a point's first image; grey levels. */
  readonly residual: number;
  readonly dissimilarity: number;
  /** Largest last step of the tracker, pixels. */
  readonly lastStep: number;
}

export const FOLLOW_DEFAULTS: FollowOptions = {
  ...KLT_DEFAULTS,
  light: true,
  levels: KLT_LEVELS,
  selection: KLT_SELECTION_DEFAULTS,
  every: 5,
  residual: 12,
  dissimilarity: 8,
  lastStep: 0.1,
};

/** Why points end. */
export const LOSSES = ["flat", "outside", "inconsistent", "residual", "unsettled", "dissimilar"] as const;
export type Loss = (typeof LOSSES)[number];

/** A point in an image; tracks are numbered as they begin. */
interface FollowedPoint {
  readonly track: number;
  readonly x: number;
  readonly y: number;
  /** Rest of the affine fit to the first image, grey levels; 0 there. */
  readonly dissimilarity: number;
}

export interface FollowedImage {
  readonly points: readonly FollowedPoint[];
  /** Points of the image before that are not here. */
  readonly lost: Readonly<Record<Loss, number>>;
}

type Followed = FollowedPoint & Patch;

/** @throws InputError for images of several sizes */
export async function* follow(
  images: AsyncIterable<Plane> | Iterable<Plane>,
  options: FollowOptions,
  begin: (image: Plane) => Promise<FollowEngine> | FollowEngine,
): AsyncGenerator<FollowedImage> {
  let engine: FollowEngine | null = null;
  let before: Plane | null = null;
  let alive: Followed[] = [];
  let tracks = 0;
  let number = 0;
  try {
    for await (const image of images) {
      engine ??= await begin(image);
      const lost = Object.fromEntries(LOSSES.map((loss) => [loss, 0])) as Record<Loss, number>;
      if (before !== null) {
        if (before.width !== image.width || before.height !== image.height)
          throw new InputError(
            `image ${number} is ${image.width} × ${image.height} pixels, those before ${before.width} × ${before.height}; give images of one size`,
          );
        if (alive.length > 0)
          alive = await advance(
            alive,
            image,
            engine,
            await engine.track(before, image, placesOf(alive)),
            options,
            lost,
          );
      }
      if (number % options.every === 0) {
        const { x, y } = chooseCorners(await engine.corners(image), image.width, options.selection, alive);
        for (const [k, px] of x.entries()) alive.push(begun(tracks++, image, px, y[k], options.window));
      }
      yield { points: alive.map(({ track, x, y, dissimilarity }) => ({ track, x, y, dissimilarity })), lost };
      before = image;
      number++;
    }
  } finally {
    engine?.close();
  }
}

const placesOf = (alive: readonly Followed[]) => ({
  x: Float32Array.from(alive, ({ x }) => x),
  y: Float32Array.from(alive, ({ y }) => y),
});

function begun(track: number, image: Plane, x: number, y: number, window: number): Followed {
  // A pixel around the window for its gradients.
  const side = window + 2;
  const half = (side - 1) / 2;
  const pixels = Float32Array.from({ length: side * side }, (_, k) =>
    bilinear(image, x + (k % side) - half, y + Math.floor(k / side) - half),
  );
  return { track, x, y, dissimilarity: 0, patch: { width: side, height: side, pixels }, a: UNDEFORMED };
}

/** Those that are still there, where the window of their first image fits; counts the others. */
async function advance(
  alive: readonly Followed[],
  image: Plane,
  engine: FollowEngine,
  moved: KltTracks,
  options: FollowOptions,
  lost: Record<Loss, number>,
): Promise<Followed[]> {
  const there: number[] = [];
  for (const k of alive.keys()) {
    const loss = lossOf(image, moved, k, options);
    if (loss === null) there.push(k);
    else lost[loss]++;
  }
  const patches = there.map((k) => alive[k]);
  const to = { x: Float32Array.from(there, (k) => moved.x[k]), y: Float32Array.from(there, (k) => moved.y[k]) };
  const fits = await engine.fit(patches, image, to);
  return patches.flatMap((point, k) => {
    const fit = fits[k];
    if (fit !== null && fit.residual <= options.dissimilarity)
      return [{ ...point, x: fit.x, y: fit.y, a: fit.a, dissimilarity: fit.residual }];
    lost.dissimilar++;
    return [];
  });
}

const OF_STATUS = new Map<number, Loss>([
  [KLT_STATUS.flat, "flat"],
  [KLT_STATUS.outside, "outside"],
  [KLT_STATUS.inconsistent, "inconsistent"],
]);

/** Why a point has ended by its track, or null. */
function lossOf(
  image: Plane,
  { x, y, status, residual, lastStep }: KltTracks,
  k: number,
  options: FollowOptions,
): Loss | null {
  const ended = OF_STATUS.get(status[k]);
  if (ended !== undefined) return ended;
  const inside = x[k] >= 0 && y[k] >= 0 && x[k] <= image.width - 1 && y[k] <= image.height - 1;
  if (!inside) return "outside";
  if (residual[k] > options.residual) return "residual";
  return lastStep[k] > options.lastStep ? "unsettled" : null;
}

interface FollowEngine {
  corners(image: Plane): Promise<readonly CornerCandidate[]>;
  /** There and back. */
  track(first: Plane, second: Plane, points: KltPoints): Promise<KltTracks>;
  /** Fits patches, a window with a pixel around it each, to an image at the places of `to`. */
  fit(patches: readonly Patch[], image: Plane, to: KltPoints): Promise<(AffineFit | null)[]>;
  close(): void;
}

/** The window of a point's first image with a pixel around it, the point in its middle, and its deformation in the last image. */
interface Patch {
  readonly patch: GreyImage;
  readonly a: AffineFit["a"];
}

const fittingOf = ({ window, light }: KltOptions): FittingOptions => ({ ...AFFINE_DEFAULTS, window, light });

/** The middle of patch k of those that lie one under the other. */
const startOf = ({ patch, a }: Patch, k: number, { x, y }: KltPoints, under: number): AffineStart => {
  const middle = (patch.width - 1) / 2;
  return { from: [middle, under * patch.height + middle], to: [x[k], y[k]], a };
};

export function cpuEngine(selection: CornerOptions, klt: KltOptions, levels: number): FollowEngine {
  // The second image of a pair is the first of the next one.
  let known: readonly { readonly image: Plane; readonly pyramid: GreyImage[] }[] = [];
  const pyramidOf = (image: Plane) => {
    const one = known.find((other) => other.image === image) ?? { image, pyramid: kltPyramid(inFloats(image), levels) };
    known = [...known.filter((other) => other !== one).slice(-1), one];
    return one.pyramid;
  };
  return {
    corners: async (image) => candidatesIn(cornerResponse(inFloats(image), selection), image, selection),
    track: async (first, second, points) => trackKltBothWays(pyramidOf(first), pyramidOf(second), points, klt),
    fit: async (patches, image, to) =>
      patches.map((one, k) => fitAffine(one.patch, image, startOf(one, k, to, 0), fittingOf(klt))),
    close: () => {},
  };
}

export async function gpuEngine(
  session: GpuSession,
  size: Size,
  selection: CornerOptions,
  klt: KltOptions,
  levels: number,
): Promise<FollowEngine> {
  const [corners, tracker, affine] = await Promise.all([
    createGpuCorners(session, size, selection),
    createGpuKlt(session, size, klt, levels),
    createGpuAffine(session, size, fittingOf(klt)),
  ]);
  return {
    corners: async (image) => (await corners.find(image, false)).candidates,
    track: (first, second, points) => tracker.trackBothWays(first, second, points),
    fit: (patches, image, to) => {
      const side = klt.window + 2;
      const pixels = new Float32Array(side * side * patches.length);
      for (const [k, { patch }] of patches.entries()) pixels.set(patch.pixels, side * side * k);
      const starts = patches.map((one, k) => startOf(one, k, to, k));
      return affine.fit({ width: side, height: side * patches.length, pixels }, image, starts);
    },
    close: () => {
      affine.destroy();
      corners.destroy();
      tracker.destroy();
    },
  };
}
