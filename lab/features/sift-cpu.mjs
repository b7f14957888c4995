/**
 * SIFT on one CPU thread beside OpenCV's on one, by CPU time: 640 × 480, doubled as both do by themselves. What directions and descriptors take of it is what the CPU would do in the division of Mücke's Abb. 5.14.
 *
 *     npm run build && npm run build -w lab && node lab/features/sift-cpu.mjs [IMAGE] [--python /usr/bin/python3] [--rows lab/results/features-choices.jsonl]
 *
 * IMAGE is made 640 × 480; OpenCV gets the same pixels. Its Python must have cv2.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { SIFT_DEFAULTS } from "rmap/pixels";
import { describe } from "../../dist/pixels/features/sift/descriptor.js";
import { findPlaces } from "../../dist/pixels/features/sift/extrema.js";
import { orientations } from "../../dist/pixels/features/sift/orientation.js";
import { scaleSpace } from "../../dist/pixels/features/sift/scale-space.js";
import { detectSiftOnCpu, peakInGreyLevels } from "../../dist/pixels/features/sift/sift.js";
import { inFloats } from "../../dist/pixels/image.js";
import { provenance } from "../../dist/rows/provenance.js";
import { readFeatureImage } from "../../dist/run/features/image.js";
import { resized } from "../../dist-lab/features/images.js";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { python: { type: "string", default: "/usr/bin/python3" }, rows: { type: "string" } },
});
const [file = "../shared/images/cudasift-left.pgm"] = positionals;
const REPEAT = 9;
const [width, height] = [640, 480];
const image = inFloats(resized(await readFeatureImage(file, () => {}), width, height));

const OPENCV = `
import cv2, numpy, resource, sys, json
cv2.setNumThreads(1)
image = numpy.frombuffer(sys.stdin.buffer.read(), dtype=numpy.uint8).reshape(${height}, ${width})
sift = cv2.SIFT_create()
times = []
for k in range(${REPEAT + 1}):
    before = resource.getrusage(resource.RUSAGE_SELF)
    keypoints, descriptors = sift.detectAndCompute(image, None)
    after = resource.getrusage(resource.RUSAGE_SELF)
    times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
print(json.dumps({"times": times[1:], "keypoints": len(keypoints), "version": cv2.__version__}))
`;
const input = Uint8Array.from(image.pixels, (grey) => Math.round(grey));
const { stdout, stderr, status } = spawnSync(values.python, ["-c", OPENCV], { input, encoding: "utf8" });
if (status !== 0) throw new Error(stderr);
const theirs = JSON.parse(stdout);

const whole = { ...image, pixels: Float32Array.from(input) };
const cpuSeconds = (work) => {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
};
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
let keypoints = 0;
const times = { all: [], blurs: [], described: [] };
for (let k = -1; k < REPEAT; k++) {
  const all = cpuSeconds(() => {
    keypoints = detectSiftOnCpu(whole, SIFT_DEFAULTS).keypoints.x.length;
  });
  const blurs = cpuSeconds(() => [...scaleSpace(whole, SIFT_DEFAULTS.firstOctave)]);
  const described = describing();
  if (k < 0) continue;
  times.described.push(described);
  times.all.push(all);
  times.blurs.push(blurs);
}

/** Seconds of directions and descriptors alone. */
function describing() {
  const { edge, subpixel, firstOctave, orientations: most } = SIFT_DEFAULTS;
  const extrema = { peak: peakInGreyLevels(SIFT_DEFAULTS.peak), edge, subpixel, countAll: false };
  const counts = { extrema: 0, softThreshold: 0, interpolated: 0, threshold: 0, edge: 0, keypoints: 0 };
  let seconds = 0;
  let index = 0;
  for (const octave of scaleSpace(whole, firstOctave)) {
    const places = findPlaces(octave, index++, extrema, counts);
    seconds += cpuSeconds(() => {
      for (const place of places) {
        const gaussian = octave.gaussians[place.gaussian];
        for (const angle of orientations(gaussian, place, most))
          describe(gaussian, place.x, place.y, place.sigma, angle, new Uint8Array(128), SIFT_DEFAULTS);
      }
    });
  }
  return seconds;
}
const row = {
  benchmark: "sift-cpu",
  size: `${width}x${height}`,
  keypoints,
  milliseconds: 1000 * median(times.all),
  blurs: 1000 * median(times.blurs),
  described: 1000 * median(times.described),
  opencv: { version: theirs.version, keypoints: theirs.keypoints, milliseconds: 1000 * median(theirs.times) },
  repetitions: REPEAT,
};
keepRow(values.rows, { ...row, ...provenance(new Date()) });
console.log(
  `rmap ${row.milliseconds.toFixed(0)} ms of CPU time, blurs ${row.blurs.toFixed(0)}, directions and descriptors ${row.described.toFixed(0)}, ${keypoints} keypoints; OpenCV ${theirs.version} ${row.opencv.milliseconds.toFixed(0)}, ${theirs.keypoints}: ${(row.milliseconds / row.opencv.milliseconds).toFixed(1)} times`,
);
