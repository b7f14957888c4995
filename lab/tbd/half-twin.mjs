/** The CPU's recursion with a state that is kept as f16 between passes: the twin of the kernels with such a state. */
import { CpuTbd } from "../../dist/pixels/before-detect/cpu.js";
import { toHalf } from "../../dist/pixels/half.js";

export class HalfCpuTbd extends CpuTbd {
  /** @override */
  async advance(frames, k0) {
    await super.advance(frames, k0);
    for (const plane of this.planes) for (let i = 0; i < plane.length; i++) plane[i] = toHalf(plane[i]);
  }
}
