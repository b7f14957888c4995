/** Motion vectors: the velocities along which frames are added up. */
import { InputError } from "../../core/errors.js";

/** Pixels a frame: x to the right, y downwards. */
export interface MotionVector {
  readonly x: number;
  readonly y: number;
}

const MOST_VECTORS = 65_536;
/** Tolerance of the radius, so that multiples of 0.1 and the like are not lost to rounding. */
const ROUNDING = 1e-9;

/**
 * All multiples of `spacing` pixels a frame of length at most `radius`, in rows of y, then x, ascending: 13 for radius 2, the number in
 * Mazurek 2010, who does not list his.
 * @throws InputError for a radius below 0, a spacing of 0 or less, or more than 65,536 vectors
 */
export function motionVectors(radius: number, spacing = 1): MotionVector[] {
  if (!(radius >= 0 && spacing > 0)) {
    throw new InputError(`vectors disc:${radius}:${spacing}: give a radius of 0 or more and a spacing above 0`);
  }
  const reach = Math.floor(radius / spacing + ROUNDING);
  if (!((2 * reach + 1) ** 2 <= 2 * MOST_VECTORS)) {
    throw new InputError(`vectors disc:${radius}:${spacing}: these are too many; give a wider spacing`);
  }
  const vectors: MotionVector[] = [];
  for (let row = -reach; row <= reach; row++) {
    for (let column = -reach; column <= reach; column++) {
      // Adding 0 makes −0 a 0.
      const [x, y] = [column * spacing + 0, row * spacing + 0];
      if (x * x + y * y <= radius * radius + ROUNDING) vectors.push({ x, y });
    }
  }
  return vectors;
}

/** @throws InputError for no vectors, too many, a vector that is not finite, and one that is there twice */
export function checkVectors(vectors: readonly MotionVector[], place: string): void {
  if (vectors.length === 0) throw new InputError(`${place}: holds no vector; give at least one, vx,vy`);
  if (vectors.length > MOST_VECTORS) {
    throw new InputError(`${place}: ${vectors.length} vectors are more than ${MOST_VECTORS}; give fewer`);
  }
  const seen = new Set<string>();
  for (const { x, y } of vectors) {
    if (!(Math.abs(x) < 1e4 && Math.abs(y) < 1e4)) {
      throw new InputError(`${place}: the vector ${x},${y} is not below 10000 pixels a frame; change it`);
    }
    const key = `${x},${y}`;
    if (seen.has(key)) throw new InputError(`${place}: the vector ${key} is there twice; remove one`);
    seen.add(key);
  }
}

/** Whole pixels that a trajectory of velocity `speed` has moved along one axis from frame 0 to frame k: ⌊k · speed + ½⌋. */
export const moved = (speed: number, k: number): number => Math.floor(k * speed + 0.5);

/**
 * How far back a trajectory is before its end, in whole pixels: at [2 ((depth + 1) v + j)] and the place after it stand x and y of
 * Σ d_i(v) over the frames i = k0 + j + 1 … k0 + depth, for j = 0 … depth. The pixel of vector v that ends a pass at x was at x minus it.
 */
export function offsetsBack(vectors: readonly MotionVector[], k0: number, depth: number): Int32Array {
  const offsets = new Int32Array(2 * (depth + 1) * vectors.length);
  vectors.forEach(({ x, y }, v) => {
    const [endX, endY] = [moved(x, k0 + depth), moved(y, k0 + depth)];
    for (let j = 0; j <= depth; j++) {
      const at = 2 * ((depth + 1) * v + j);
      offsets[at] = endX - moved(x, k0 + j);
      offsets[at + 1] = endY - moved(y, k0 + j);
    }
  });
  return offsets;
}

/** Of each vector the numbers of those that lie nearest to it: at the least distance that any two vectors have. */
export function nearestVectors(vectors: readonly MotionVector[]): number[][] {
  const square = (a: MotionVector, b: MotionVector) => (a.x - b.x) ** 2 + (a.y - b.y) ** 2;
  let least = Number.POSITIVE_INFINITY;
  vectors.forEach((a, i) => {
    for (let j = 0; j < i; j++) least = Math.min(least, square(a, vectors[j]));
  });
  const near = (a: MotionVector, b: MotionVector) => square(a, b) <= least * (1 + ROUNDING);
  return vectors.map((a, i) => [...vectors.keys()].filter((j) => j !== i && near(a, vectors[j])));
}
