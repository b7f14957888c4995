/** Keypoints of an image, with descriptors. */

export const DESCRIPTOR_LENGTH = 128;

/** Arrays of n keypoints; those of one place lie next to each other. */
export interface Keypoints {
  /** Pixels of the image; pixel centres at integers. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly sigma: Float32Array;
  /** Radians in 0…2π, x right and y down. */
  readonly angle: Float32Array;
  /** The detector's response; for SIFT the difference of Gaussians, in grey levels. */
  readonly response: Float32Array;
  /** Number of the place, 0 first: keypoints that differ only in their angle share it. */
  readonly place: Uint32Array;
  /** 128 a keypoint: 4 × 4 cells by rows, 8 directions each, turning from x to y. */
  readonly descriptors: Uint8Array;
}

/** The keypoints at `kept`, in that order; places are numbered anew. */
export function pickKeypoints(keypoints: Keypoints, kept: readonly number[]): Keypoints {
  const descriptors = new Uint8Array(DESCRIPTOR_LENGTH * kept.length);
  const places = new Map<number, number>();
  kept.forEach((k, n) => {
    const from = DESCRIPTOR_LENGTH * k;
    descriptors.set(keypoints.descriptors.subarray(from, from + DESCRIPTOR_LENGTH), DESCRIPTOR_LENGTH * n);
    if (!places.has(keypoints.place[k])) places.set(keypoints.place[k], places.size);
  });
  const take = (row: Float32Array) => Float32Array.from(kept, (k) => row[k]);
  return {
    x: take(keypoints.x),
    y: take(keypoints.y),
    sigma: take(keypoints.sigma),
    angle: take(keypoints.angle),
    response: take(keypoints.response),
    place: Uint32Array.from(kept, (k) => places.get(keypoints.place[k]) as number),
    descriptors,
  };
}

/** The keypoints of the `most` places with the largest |response|, in their order; of equal ones the earlier are kept. */
export function strongestPlaces(keypoints: Keypoints, most: number): Keypoints {
  const strength = new Map<number, number>();
  for (const [k, place] of keypoints.place.entries()) strength.set(place, Math.abs(keypoints.response[k]));
  if (strength.size <= most) return keypoints;
  const strongest = [...strength].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
  const kept = new Set(strongest.map(([place]) => place));
  return pickKeypoints(
    keypoints,
    [...keypoints.place.keys()].filter((k) => kept.has(keypoints.place[k])),
  );
}
