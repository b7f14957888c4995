/** Gauss–Legendre rule of 24 points on [−1, 1]: its positive nodes and their weights (Abramowitz & Stegun, Table 25.4). */
const LEGENDRE_24 = [
  [0.06405689286260563, 0.12793819534675216],
  [0.1911188674736163, 0.1258374563468283],
  [0.3150426796961634, 0.12167047292780339],
  [0.4337935076260451, 0.1155056680537256],
  [0.5454214713888396, 0.10744427011596563],
  [0.6480936519369755, 0.09761865210411388],
  [0.7401241915785544, 0.08619016153195327],
  [0.820001985973903, 0.0733464814110803],
  [0.8864155270044011, 0.05929858491543678],
  [0.9382745520027328, 0.04427743881741981],
  [0.9747285559713095, 0.028531388628933663],
  [0.9951872199970213, 0.0123412297999872],
] as const;

/** The rule moved to [0, 1]. */
const node = Float64Array.from(LEGENDRE_24.flatMap(([t]) => [(1 - t) / 2, (1 + t) / 2]));
const weight = Float64Array.from(LEGENDRE_24.flatMap(([, w]) => [w / 2, w / 2]));

/** The derivative of the Hermite cubic is 6t(1−t) · chord + (1−t)(1−3t) · start tangent + t(3t−2) · end tangent. */
const chordFactor = node.map((t) => 6 * t * (1 - t));
const startFactor = node.map((t) => (1 - t) * (1 - 3 * t));
const endFactor = node.map((t) => t * (3 * t - 2));

/** The same rule for kernels: weight, chord, start and end factor of each node. */
export const ARC_RULE: readonly (readonly number[])[] = Array.from(weight, (w, q) => [
  w,
  chordFactor[q],
  startFactor[q],
  endFactor[q],
]);

/**
 * Arc length of the clamped cubic (Hermite) curve over t ∈ [0, 1] with the given chord (end minus start) and derivatives
 * (velocity · δt) at its ends: ∫ |p′(t)| dt by the rule of 24 points.
 * Its error is below 1e-9 where the ends turn by less than a right angle, and at a cusp, where p′ vanishes, below 0.5 % of the longest vector.
 */
export function hermiteLength(
  chordX: number,
  chordY: number,
  startX: number,
  startY: number,
  endX: number,
  endY: number,
  chordZ = 0,
  startZ = 0,
  endZ = 0,
): number {
  let length = 0;
  for (let q = 0; q < 24; q++) {
    const dx = chordFactor[q] * chordX + startFactor[q] * startX + endFactor[q] * endX;
    const dy = chordFactor[q] * chordY + startFactor[q] * startY + endFactor[q] * endY;
    const dz = chordFactor[q] * chordZ + startFactor[q] * startZ + endFactor[q] * endZ;
    length += weight[q] * Math.sqrt(dx * dx + dy * dy + dz * dz);
  }
  return length;
}
