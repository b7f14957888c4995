import { expect, test } from "vitest";
import type { Frame } from "../../src/core/frame.js";
import { createCpuTbd } from "../../src/pixels/before-detect/cpu.js";
import { detectBeforeTracking } from "../../src/pixels/before-detect/detect.js";
import { BEFORE_DETECT_DEFAULTS } from "../../src/pixels/before-detect/options.js";
import { motionVectors } from "../../src/pixels/before-detect/vectors.js";
import { preparedFrames } from "../../src/run/before-detect.js";

test("a frame whose noise cannot be measured is named by its file", async () => {
  const flat: Frame = { width: 4, height: 4, channels: 1, samples: new Uint8Array(16), place: "night/0007.png" };
  const read = async function* () {
    yield flat;
  };
  const frames = preparedFrames(read, { background: "frame", prefilter: 0 });
  const outputs = detectBeforeTracking(
    frames,
    { ...BEFORE_DETECT_DEFAULTS, vectors: motionVectors(1, 1) },
    createCpuTbd(),
  );
  await expect(outputs.next()).rejects.toThrow(/^night\/0007\.png: more than half of its pixels are equal.*--sigma/);
});
