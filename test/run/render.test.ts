import { expect, test } from "vitest";
import { readImageScene } from "../../src/formats/image-scene.js";
import { robustSigma } from "../../src/pixels/before-detect/noise.js";
import { renderScene } from "../../src/run/render.js";

test("every frame of a scene is drawn, watched or not", () => {
  const scene = {
    ...readImageScene("scenarios/tbd/point.json"),
    frames: 3,
    leave: 2,
    width: 64,
    height: 64,
    targets: 2,
  };
  const { pixels, truth } = renderScene(scene, 1);
  expect(truth).toHaveLength(6);
  for (let n = 0; n < 3; n++) expect(robustSigma(pixels.slice(4096 * n, 4096 * (n + 1)))).toBeCloseTo(1, 1);
  expect(renderScene(scene, 1, () => {}).pixels).toEqual(pixels);
});

test("a scene above 1 GiB is refused before it is drawn", () => {
  const scene = { ...readImageScene("scenarios/tbd/point.json"), frames: 100_000, leave: 99_999 };
  expect(() => renderScene(scene, 1)).toThrow(/1 GiB/);
});
