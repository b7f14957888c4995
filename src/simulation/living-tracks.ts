import type { RandomStream } from "../core/random.js";

/** Positions and velocities of one target at equal times; z and vz in space. */
export interface Trajectory {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z?: Float64Array;
  readonly vx: Float64Array;
  readonly vy: Float64Array;
  readonly vz?: Float64Array;
}

const IN_PLANE = ["x", "y", "vx", "vy"] as const;
const IN_SPACE = [...IN_PLANE, "z", "vz"] as const;

/** The arrays of a trajectory by name. */
export const keysOf = (space: boolean): readonly (keyof Trajectory)[] => (space ? IN_SPACE : IN_PLANE);

export function emptyTrajectory(length: number, space: boolean): Trajectory {
  return Object.fromEntries(keysOf(space).map((key) => [key, new Float64Array(length)])) as unknown as Trajectory;
}

/**
 * A walk in the plane that is turned about its first place to any direction in space, and moved along z. The rotation is uniform: that of a quaternion of four normals
 * (K. Shoemake, "Uniform random rotations", Graphics Gems III, 1992).
 */
export function tilted({ x, y, vx, vy }: Trajectory, z: number, random: RandomStream): Trajectory {
  const q = [0, 1, 2, 3].map(() => random.normal());
  const length = Math.sqrt(q.reduce((sum, part) => sum + part * part, 0));
  const [a, b, c, d] = q.map((part) => part / length);
  const columns = [
    [1 - 2 * (c * c + d * d), 2 * (b * c + a * d), 2 * (b * d - a * c)],
    [2 * (b * c - a * d), 1 - 2 * (b * b + d * d), 2 * (c * d + a * b)],
  ];
  const turned = (u: Float64Array, v: Float64Array, from: readonly number[]) =>
    from.map((begin, n) =>
      u.map((along, p) => begin + columns[0][n] * (along - from[0]) + columns[1][n] * (v[p] - from[1])),
    );
  const [placeX, placeY, placeZ] = turned(x, y, [x[0], y[0], z]);
  const [alongX, alongY, alongZ] = turned(vx, vy, [0, 0, 0]);
  return { x: placeX, y: placeY, z: placeZ, vx: alongX, vy: alongY, vz: alongZ };
}

/** A vector of some length in any direction of space. */
export function anyDirection(length: number, random: RandomStream): readonly number[] {
  const v = [0, 1, 2].map(() => random.normal());
  const size = Math.sqrt(v.reduce((sum, part) => sum + part * part, 0));
  return v.map((part) => (length * part) / size);
}

/** A target's walk from its first frame to its last, and its measurements; arrays count from its first frame. */
export interface LivingTrack {
  readonly target: number;
  readonly first: number;
  readonly last: number;
  /** True positions and velocities. */
  readonly walk: Trajectory;
  /** Deviations of the measurements from them. */
  readonly noise: Trajectory;
  /** Whether it is detected, occlusion apart. */
  readonly detected: readonly boolean[];
}

/** The box that holds all true positions: least and greatest on each axis. */
export type FieldBox = readonly (readonly [number, number])[];

export function fieldOfTracks(tracks: readonly LivingTrack[]): FieldBox {
  const isDeep = tracks[0].walk.z !== undefined;
  return (isDeep ? (["x", "y", "z"] as const) : (["x", "y"] as const)).map((axis) => {
    let [least, most] = [Infinity, -Infinity];
    for (const { walk, first, last } of tracks) {
      for (const value of walk[axis]?.subarray(0, last - first + 1) ?? []) {
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    return [least, most] as const;
  });
}
