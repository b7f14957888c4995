/** Rigid bodies made of spheres. */

/** A kind of body that is fed: its shape and the diameter of its spheres, in metres. */
export interface Material {
  /**
   *     sphere    one sphere
   *     plate     a disc of seven touching spheres, one in the middle
   *     cylinder  four spheres in a row, 0.8 diameters apart
   *     corn      four spheres at the corners of a tetrahedron, a quarter of a diameter from its centre: a lumpy ball
   */
  readonly shape: ShapeName;
  readonly diameter: number;
  /** Its part of the bodies fed, relative to the other materials. */
  readonly share: number;
}

export type ShapeName = keyof typeof CENTRES;

/** A body at rest in its own axes, the principal ones. */
export interface Body {
  /** Centres of its spheres, three numbers each. */
  readonly centres: Float64Array;
  /** Radius of every one of its spheres. */
  readonly radius: number;
  readonly mass: number;
  /** Principal moments of inertia. */
  readonly inertia: readonly [number, number, number];
}

/** Centres in units of the diameter. */
const CENTRES = {
  sphere: [[0, 0, 0]],
  plate: [[0, 0, 0], ...[0, 1, 2, 3, 4, 5].map((k) => [Math.cos((k * Math.PI) / 3), Math.sin((k * Math.PI) / 3), 0])],
  cylinder: [-1.5, -0.5, 0.5, 1.5].map((k) => [0.8 * k, 0, 0]),
  corn: [
    [1, 1, 1],
    [1, -1, -1],
    [-1, 1, -1],
    [-1, -1, 1],
  ].map((corner) => corner.map((side) => side / (4 * Math.sqrt(3)))),
} as const satisfies Record<string, readonly (readonly number[])[]>;

export const SHAPES = Object.keys(CENTRES) as ShapeName[];

/** The body of a material of `density` kg/m³. Mass where spheres overlap counts for each of them. */
export function bodyOf({ shape, diameter }: Material, density: number): Body {
  const radius = diameter / 2;
  const centres = Float64Array.from(CENTRES[shape].flat(), (centre) => centre * diameter);
  const one = (density * 4 * Math.PI * radius ** 3) / 3;
  const ofSphere = 0.4 * one * radius * radius;
  const inertia: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < centres.length; at += 3) {
    const [x, y, z] = centres.subarray(at, at + 3);
    inertia[0] += ofSphere + one * (y * y + z * z);
    inertia[1] += ofSphere + one * (x * x + z * z);
    inertia[2] += ofSphere + one * (x * x + y * y);
  }
  return { centres, radius, mass: (one * centres.length) / 3, inertia };
}
