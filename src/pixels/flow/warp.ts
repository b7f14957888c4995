import { cubicWeights } from "../bicubic.js";
import type { GreyImage } from "../image.js";

/** The arrays that the iterations of one warp read; each has one number per pixel. */
export interface Linearization {
  /** I1(x + u⁰) − I0(x); 0 where x + u⁰ leaves the image. */
  readonly residual: Float32Array;
  /** ∇I1(x + u⁰), both components; 0 where x + u⁰ leaves the image. */
  readonly gradientX: Float32Array;
  readonly gradientY: Float32Array;
}

const weightsX = new Float64Array(4);
const weightsY = new Float64Array(4);
const columns = new Int32Array(4);
const columnsLeft = new Int32Array(4);
const columnsRight = new Int32Array(4);

/**
 * Linearizes I1(x + u) around u⁰ = (u, v): I1 and its gradient (central differences, borders repeated) sampled bicubically.
 * Sánchez, Meinhardt-Llopis, Facciolo, IPOL 3 (2013), §2.
 */
export function linearize(image0: GreyImage, image1: GreyImage, u: Float32Array, v: Float32Array): Linearization {
  const { width, height, pixels } = image1;
  const out = {
    residual: new Float32Array(width * height),
    gradientX: new Float32Array(width * height),
    gradientY: new Float32Array(width * height),
  };
  const clampX = (x: number) => Math.min(Math.max(x, 0), width - 1);
  const clampY = (y: number) => Math.min(Math.max(y, 0), height - 1);
  for (let i = 0, y = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const atX = Math.fround(x + u[i]);
      const atY = Math.fround(y + v[i]);
      if (!(atX >= 0 && atX <= width - 1 && atY >= 0 && atY <= height - 1)) continue;
      const left = Math.floor(atX);
      const top = Math.floor(atY);
      cubicWeights(atX - left, weightsX);
      cubicWeights(atY - top, weightsY);
      // Where all taps lie in the image, a row of them needs six pixels of its centre and four of either neighbour.
      const isInner = left >= 2 && left + 3 < width;
      for (let k = 0; k < 4 && !isInner; k++) {
        const column = clampX(left + k - 1);
        columns[k] = column;
        columnsLeft[k] = clampX(column - 1);
        columnsRight[k] = clampX(column + 1);
      }
      let value = 0;
      let slopeX = 0;
      let slopeY = 0;
      for (let k = 0; k < 4; k++) {
        const line = clampY(top + k - 1);
        const row = line * width;
        const above = clampY(line - 1) * width;
        const below = clampY(line + 1) * width;
        if (isInner) {
          const w0 = weightsX[0];
          const w1 = weightsX[1];
          const w2 = weightsX[2];
          const w3 = weightsX[3];
          const centre = row + left;
          const over = above + left;
          const under = below + left;
          const a = pixels[centre - 1];
          const b = pixels[centre];
          const c = pixels[centre + 1];
          const d = pixels[centre + 2];
          value += weightsY[k] * (w0 * a + w1 * b + w2 * c + w3 * d);
          slopeX +=
            weightsY[k] * (w0 * (b - pixels[centre - 2]) + w1 * (c - a) + w2 * (d - b) + w3 * (pixels[centre + 3] - c));
          slopeY +=
            weightsY[k] *
            (w0 * (pixels[under - 1] - pixels[over - 1]) +
              w1 * (pixels[under] - pixels[over]) +
              w2 * (pixels[under + 1] - pixels[over + 1]) +
              w3 * (pixels[under + 2] - pixels[over + 2]));
          continue;
        }
        let rowValue = 0;
        let rowX = 0;
        let rowY = 0;
        for (let m = 0; m < 4; m++) {
          const weight = weightsX[m];
          const column = columns[m];
          rowValue += weight * pixels[row + column];
          rowX += weight * (pixels[row + columnsRight[m]] - pixels[row + columnsLeft[m]]);
          rowY += weight * (pixels[below + column] - pixels[above + column]);
        }
        value += weightsY[k] * rowValue;
        slopeX += weightsY[k] * rowX;
        slopeY += weightsY[k] * rowY;
      }
      out.residual[i] = value - image0.pixels[i];
      out.gradientX[i] = 0.5 * slopeX;
      out.gradientY[i] = 0.5 * slopeY;
    }
  }
  return out;
}
