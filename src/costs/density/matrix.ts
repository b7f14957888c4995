/** A symmetric matrix of two axes, or of three. */
export interface Matrix {
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  /** In space; all three or none. */
  readonly xz?: number | undefined;
  readonly yz?: number | undefined;
  readonly zz?: number | undefined;
}

export const isDeep = ({ zz }: Matrix): boolean => zz !== undefined;

export const traceOf = ({ xx, yy, zz = 0 }: Matrix): number => xx + yy + zz;

export function determinantOf({ xx, xy, yy, xz = 0, yz = 0, zz }: Matrix): number {
  const inPlane = xx * yy - xy * xy;
  return zz === undefined ? inPlane : zz * inPlane - xz * (yy * xz - xy * yz) - yz * (xx * yz - xy * xz);
}

/** The same along all directions. */
export function evenly(factor: number, space = false): Matrix {
  return { xx: factor, xy: 0, yy: factor, ...(space && { xz: 0, yz: 0, zz: factor }) };
}

/** Entries of a matrix multiplied by a vector; the third is 0 in the plane. */
export function times({ xx, xy, yy, xz = 0, yz = 0, zz = 0 }: Matrix, [x, y, z = 0]: readonly number[]): number[] {
  return [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z];
}

/** b − M a; the third entry is 0 in the plane. */
export function lessTimes(
  [bx, by, bz = 0]: readonly number[],
  { xx, xy, yy, xz = 0, yz = 0, zz = 0 }: Matrix,
  [ax, ay, az = 0]: readonly number[],
): readonly [number, number, number] {
  return [bx - xx * ax - xy * ay - xz * az, by - xy * ax - yy * ay - yz * az, bz - xz * ax - yz * ay - zz * az];
}

/** The entries that are there times a number. */
export function scaled({ xx, xy, yy, xz, yz, zz }: Matrix, by: number): Matrix {
  const inPlane = { xx: by * xx, xy: by * xy, yy: by * yy };
  return xz === undefined || yz === undefined || zz === undefined
    ? inPlane
    : { ...inPlane, xz: by * xz, yz: by * yz, zz: by * zz };
}

/** The rows, of three entries each; those that are not there are 0. */
export const rowsOf = ({ xx, xy, yy, xz = 0, yz = 0, zz = 0 }: Matrix): number[][] => [
  [xx, xy, xz],
  [xy, yy, yz],
  [xz, yz, zz],
];

/** Sweeps of rotations; a few reach the last digit. */
const SWEEPS = 30;

/** The eigenvalues of a matrix in space, the greatest first, and its eigenvectors: by Jacobi's rotations (1846). */
export function eigenOf(matrix: Matrix): { value: number; vector: readonly number[] }[] {
  const m = rowsOf(matrix);
  const v = [0, 1, 2].map((i) => [0, 1, 2].map((j) => Number(i === j)));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (m[p][q] === 0) continue;
      const angle = 0.5 * Math.atan2(2 * m[p][q], m[p][p] - m[q][q]);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const turn = (a: number, b: number) => [cos * a + sin * b, cos * b - sin * a];
      for (const row of m) [row[p], row[q]] = turn(row[p], row[q]);
      for (let k = 0; k < 3; k++) [m[p][k], m[q][k]] = turn(m[p][k], m[q][k]);
      for (const row of v) [row[p], row[q]] = turn(row[p], row[q]);
      m[p][q] = 0;
      m[q][p] = 0;
    }
  }
  const all = [0, 1, 2].map((n) => ({ value: m[n][n], vector: v.map((row) => row[n]) }));
  return all.sort((one, other) => other.value - one.value);
}
