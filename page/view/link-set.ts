import type { Rgba } from "./colours.js";

/** What links join: places around the centre, depths, and the frame of each detection. */
export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
  readonly frameOf: Uint32Array;
  readonly frames: number;
}

/** Links in the order of the frames that they enter, so that those of some frames are one stretch. */
export class LinkSet {
  readonly count: number;
  /** The first link into each frame, and their number at the end. */
  readonly start: Uint32Array;
  /** Earlier and later end of each link, one after the other. */
  readonly ends: Uint32Array;
  readonly colours: Uint8Array;
  /** The ends on the device. */
  readonly indices: WebGLBuffer;

  /** @param pairs detections, two after another, of a link each */
  constructor(
    private readonly gl: WebGL2RenderingContext,
    { frameOf, frames }: Pick<Places, "frameOf" | "frames">,
    pairs: ArrayLike<number>,
    colourOf: (to: number) => Rgba,
  ) {
    this.count = pairs.length / 2;
    this.ends = inOrder(pairs);
    this.start = new Uint32Array(frames + 1);
    for (let n = 0; n < this.count; n++) this.start[frameOf[this.ends[2 * n + 1]] + 1]++;
    for (let p = 0; p < frames; p++) this.start[p + 1] += this.start[p];
    this.colours = new Uint8Array(4 * this.count);
    this.recolour(colourOf);
    this.indices = gl.createBuffer() as WebGLBuffer;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.ends, gl.STATIC_DRAW);
  }

  recolour(colourOf: (to: number) => Rgba): void {
    for (let n = 0; n < this.count; n++) this.colours.set(colourOf(this.ends[2 * n + 1]), 4 * n);
  }

  free(): void {
    this.gl.deleteBuffer(this.indices);
  }
}

function inOrder(pairs: ArrayLike<number>): Uint32Array {
  const count = pairs.length / 2;
  const order = Uint32Array.from({ length: count }, (_, n) => n);
  const isSorted = order.every((n) => n === 0 || pairs[2 * n + 1] >= pairs[2 * n - 1]);
  if (!isSorted) order.sort((a, b) => pairs[2 * a + 1] - pairs[2 * b + 1]);
  const ends = new Uint32Array(2 * count);
  order.forEach((from, n) => {
    [ends[2 * n], ends[2 * n + 1]] = [pairs[2 * from], pairs[2 * from + 1]];
  });
  return ends;
}
