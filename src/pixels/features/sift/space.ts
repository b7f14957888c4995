/** What the host writes for the kernels that read space.wgsl. */
import { uploadUniform } from "../../../gpu/buffers.js";
import type { GpuSession } from "../../../gpu/session.js";
import type { Kernel } from "../../../gpu/wgsl/kernel.js";

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

export function uploadSpace(
  session: GpuSession,
  kernel: Kernel,
  octaves: readonly SpaceOctave[],
  settings: SpaceSettings,
): GPUBuffer {
  const none = { offset: 0, width: 0, height: 0, firstGroup: 0 };
  const padded = Array.from({ length: OCTAVES }, (_, o) => ({ ...(octaves[o] ?? none) }));
  const record = { ...settings, octaves: padded, count: octaves.length };
  return uploadUniform(session, "space", kernel.struct("Space").pack([record]));
}
