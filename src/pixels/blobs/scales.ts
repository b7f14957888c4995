/** The scales at which spots are looked for, and how many maxima noise has there. */

/**
 * A spot is found where σ^γ · σ²∇²G(σ) ∗ I is largest. γ = 0 finds a Gaussian of σ_s at σ = σ_s; γ = 2/3 finds it at √2 σ_s, where the place is known to
 * 3 % more than the least error of any estimator (0.825 and 0.798 of noise over contrast, in pixels, along each axis), and where a spot stands out from
 * white noise by 26 % more than at σ_s. γ = 1 gains another 3 %, and joins spots that stand near each other.
 */
export const GAMMA = 2 / 3;

/** σ of the filter over that of the Gaussian spot that it fits best: √((2 + γ) / (2 − γ)) = √2. */
export const FILTER_RATIO = Math.sqrt((2 + GAMMA) / (2 - GAMMA));

/** Contrast of such a spot over σ²∇²G ∗ I at its centre: (σ² + σ_s²)² / (2 σ² σ_s²) = 9/4. */
export const CONTRAST_RATIO = (FILTER_RATIO ** 2 + 1) ** 2 / (2 * FILTER_RATIO ** 2);

/** Diameter of a blob over σ of its Gaussian: its Laplacian changes sign at the radius √2 σ. */
export const DIAMETER_RATIO = 2 * Math.SQRT2;

/**
 * The mask of the Laplacian blurs by 1/8 pixel² of variance, and the parabola over the scales adds to it. With 1/6 together the contrasts of Gaussians of σ 0.8 to 4 pixels at random
 * places are right to 1.5 % and the diameters to 3 % in the mean; without it those of σ = 1 are 15 % too low and 11 % too large.
 */
const MASK_VARIANCE = 1 / 6;

/** σ of the Gaussian in front of the mask, for a scale. */
export const blurOf = (sigma: number): number => Math.sqrt(sigma ** 2 - MASK_VARIANCE);

/** Scales of an octave, as in SIFT: the parabola through three of them finds the size to a few per cent. */
const SCALES_PER_OCTAVE = 3;

export interface Scales {
  /** σ of the filters. Spots are at those between the first and the last, which are needed for the comparison. */
  readonly sigma: Float64Array;
  /** Of one scale over the one before. */
  readonly ratio: number;
}

export function scalesOf([least, greatest]: readonly [number, number]): Scales {
  const octaves = Math.log2(greatest / least);
  const steps = Math.ceil(octaves * SCALES_PER_OCTAVE - 1e-9);
  const ratio = steps === 0 ? 2 ** (1 / SCALES_PER_OCTAVE) : 2 ** (octaves / steps);
  const first = (FILTER_RATIO * least) / DIAMETER_RATIO;
  return { sigma: Float64Array.from({ length: steps + 3 }, (_, n) => first * ratio ** (n - 1)), ratio };
}

/**
 * Maxima of white noise over places and scales that stand out by `score` standard deviations or more, expected in an image: the expected Euler characteristic of the excursion
 * set (D. Siegmund & K. Worsley, "Testing for a signal with unknown location and scale in a stationary Gaussian random field", Annals of Statistics 23, 1995, §3). The response
 * of σ²∇²G, divided by its standard deviation, varies with 3/2 σ⁻² along each axis and with 3 along ln σ. At a maximum of the response times σ^(γ−1) its
 * slope along ln σ is (1 − γ) times the score.
 */
export function expectedMaxima(score: number, pixels: number, { sigma, ratio }: Scales): number {
  const [first, last] = [sigma[1] / Math.sqrt(ratio), (sigma.at(-2) as number) * Math.sqrt(ratio)];
  const cells = (1.5 * Math.sqrt(3) * pixels * (first ** -2 - last ** -2)) / 2;
  const slope = (1 - GAMMA) * score;
  const curvature = 1 + (1 - GAMMA) ** 2 / 3;
  return (cells / (2 * Math.PI) ** 2) * (score ** 2 - 1) * curvature * Math.exp(-(score ** 2) / 2 - slope ** 2 / 6);
}

/** Below this the expected count of maxima does not fall with the score. */
const LEAST_SCORE = 2;

/** The score that noise alone is expected to exceed `falseAlarms` times; LEAST_SCORE where that is more often than it can. */
export function thresholdOf(falseAlarms: number, pixels: number, scales: Scales): number {
  let [low, high] = [LEAST_SCORE, 40];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (expectedMaxima(middle, pixels, scales) > falseAlarms) low = middle;
    else high = middle;
  }
  return high;
}
