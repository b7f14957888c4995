/** Records for the kernels that import space.wgsl. */
import type { FieldRecord } from "../../../gpu/wgsl/struct-layout.js";

/** Octaves that a Space has room for. */
const OCTAVES = 16;
/** Numbers of a row, of vec4. */
export const VECTOR = 4;
/** Workgroups of kernels that go through a list whose length only the device knows. */
export const LIST_GROUPS = 4096;

/** Rows of the scale space begin at multiples of four numbers. */
export const pitchOf = (width: number): number => VECTOR * Math.ceil(width / VECTOR);

interface SpaceOctave {
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  readonly firstGroup: number;
}

/** A Space but for the number of its octaves, which are those given. */
interface SpaceSettings {
  readonly soft: number;
  readonly peak: number;
  readonly edge: number;
  readonly candidateRoom: number;
  readonly placeRoom: number;
  readonly keypointRoom: number;
  readonly orientations: number;
}

/** A record of the struct Space. */
export function spaceOf(octaves: readonly SpaceOctave[], settings: SpaceSettings): FieldRecord {
  const none = { offset: 0, width: 0, height: 0, firstGroup: 0 };
  const padded = Array.from({ length: OCTAVES }, (_, o) => ({ ...(octaves[o] ?? none) }));
  return { ...settings, octaves: padded, count: octaves.length };
}
