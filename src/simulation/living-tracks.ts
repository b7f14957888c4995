/** Positions and velocities of one target at equal times. */
export interface Trajectory {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly vx: Float64Array;
  readonly vy: Float64Array;
}

export function emptyTrajectory(length: number): Trajectory {
  const [x, y, vx, vy] = [0, 1, 2, 3].map(() => new Float64Array(length));
  return { x, y, vx, vy };
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

export interface FieldBox {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** The box that holds all true positions. */
export function fieldOfTracks(tracks: readonly LivingTrack[]): FieldBox {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (const { walk, first, last } of tracks) {
    for (let n = 0; n <= last - first; n++) {
      box.left = Math.min(box.left, walk.x[n]);
      box.right = Math.max(box.right, walk.x[n]);
      box.bottom = Math.min(box.bottom, walk.y[n]);
      box.top = Math.max(box.top, walk.y[n]);
    }
  }
  return box;
}
