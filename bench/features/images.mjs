/** Images of any size, and how far two sets of keypoints agree. */

const MOST_PIXELS_OFF = 0.01;

/** Share of a's keypoints that b has, within 0.01 px, 0.1 % of σ and 0.01 rad. */
export function shared(a, b) {
  if (a.x.length === 0) return b.x.length === 0 ? 1 : 0;
  const cells = new Map();
  const key = (x, y) => `${Math.round(x)},${Math.round(y)}`;
  b.x.forEach((x, k) => {
    const cell = key(x, b.y[k]);
    cells.set(cell, [...(cells.get(cell) ?? []), k]);
  });
  let same = 0;
  a.x.forEach((x, k) => {
    const y = a.y[k];
    const near = [-0.5, 0, 0.5].flatMap((dx) => [-0.5, 0, 0.5].flatMap((dy) => cells.get(key(x + dx, y + dy)) ?? []));
    same += near.some(
      (l) =>
        Math.hypot(x - b.x[l], y - b.y[l]) <= MOST_PIXELS_OFF &&
        Math.abs(a.sigma[k] / b.sigma[l] - 1) < 1e-3 &&
        Math.abs(Math.sin((a.angle[k] - b.angle[l]) / 2)) < 0.005,
    )
      ? 1
      : 0;
  });
  return same / a.x.length;
}

export function bilinear({ width, height, pixels }, x, y) {
  const [cx, cy] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
  const [x0, y0] = [Math.floor(cx), Math.floor(cy)];
  const [x1, y1] = [Math.min(x0 + 1, width - 1), Math.min(y0 + 1, height - 1)];
  const top = pixels[y0 * width + x0] * (1 - cx + x0) + pixels[y0 * width + x1] * (cx - x0);
  const bottom = pixels[y1 * width + x0] * (1 - cx + x0) + pixels[y1 * width + x1] * (cx - x0);
  return top * (1 - cy + y0) + bottom * (cy - y0);
}

/** Rounded to integers, as an image file would hold it. */
export function resized(image, width, height) {
  if (image.width === width && image.height === height) return image;
  const pixels = new Float32Array(width * height);
  const [sx, sy] = [image.width / width, image.height / height];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      // Four samples a pixel: enough for a reduction to a half.
      for (const oy of [0.25, 0.75])
        for (const ox of [0.25, 0.75]) sum += bilinear(image, (x + ox) * sx - 0.5, (y + oy) * sy - 0.5);
      pixels[y * width + x] = Math.round(sum / 4);
    }
  }
  return { width, height, pixels };
}

export function blobs(width, height) {
  const pixels = new Float32Array(width * height).fill(128);
  const unit = (k, step) => (k * step) % 1;
  for (let k = 1; k <= 6000; k++) {
    const [bx, by] = [unit(k, 0.7548776662466927) * width, unit(k, 0.5698402909980532) * height];
    const sigma = 1.2 * 8 ** unit(k, 0.6180339887498949);
    const peak = (k % 2 === 0 ? 1 : -1) * (15 + 40 * unit(k, 0.41421356237));
    const reach = Math.ceil(4 * sigma);
    for (let y = Math.max(0, Math.floor(by) - reach); y <= Math.min(height - 1, by + reach); y++) {
      for (let x = Math.max(0, Math.floor(bx) - reach); x <= Math.min(width - 1, bx + reach); x++) {
        pixels[y * width + x] += peak * Math.exp(-((x - bx) ** 2 + (y - by) ** 2) / (2 * sigma ** 2));
      }
    }
  }
  return { width, height, pixels: pixels.map((value) => Math.min(Math.max(Math.round(value), 0), 255)) };
}
