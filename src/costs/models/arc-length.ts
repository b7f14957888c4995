import { Bezier } from "bezier-js";

/** Gauss–Legendre rule of 24 points, moved from [−1, 1] to [0, 1]. */
const { Tvalues, Cvalues } = Bezier.getUtils();
const node = Float64Array.from(Tvalues, (t) => (1 + t) / 2);
const weight = Float64Array.from(Cvalues, (w) => w / 2);

/** The derivative of the Hermite cubic is 6t(1−t) · chord + (1−t)(1−3t) · start tangent + t(3t−2) · end tangent. */
const chordFactor = node.map((t) => 6 * t * (1 - t));
const startFactor = node.map((t) => (1 - t) * (1 - 3 * t));
const endFactor = node.map((t) => t * (3 * t - 2));

/** What kernels sum the same rule by: weight, chord, start and end factor of each node. */
export const ARC_RULE: readonly (readonly number[])[] = Array.from(weight, (w, q) => [
  w,
  chordFactor[q],
  startFactor[q],
  endFactor[q],
]);

/**
 * Arc length of the clamped cubic (Hermite) curve over t ∈ [0, 1] with the given chord (end minus start) and derivatives
 * (velocity · δt) at its ends: ∫ |p′(t)| dt by a Gauss–Legendre rule of 24 points, whose nodes and weights are bezier-js's.
 * Good to 1e-9 where the ends turn by less than a right angle; at a cusp, where p′ vanishes, to 0.5 % of the longest vector.
 */
export function hermiteLength(
  chordX: number,
  chordY: number,
  startX: number,
  startY: number,
  endX: number,
  endY: number,
): number {
  let length = 0;
  for (let q = 0; q < 24; q++) {
    const dx = chordFactor[q] * chordX + startFactor[q] * startX + endFactor[q] * endX;
    const dy = chordFactor[q] * chordY + startFactor[q] * startY + endFactor[q] * endY;
    length += weight[q] * Math.sqrt(dx * dx + dy * dy);
  }
  return length;
}
