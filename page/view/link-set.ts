import { type AttribInfo, createAttribsFromArrays, setAttribInfoBufferFromArray } from "twgl.js";

/** What links are made of: places around the centre, depths, and the frame of each detection. */
export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
  readonly frameOf: Uint32Array;
  readonly frames: number;
}

type Attributes = Record<"tail" | "head" | "depths" | "colour" | "missed" | "entered", AttribInfo>;

/** Links on the device in the order of the frames that they enter, so that those of some frames are one stretch. */
export class LinkSet {
  readonly count: number;
  /** The first link into each frame, and their number at the end. */
  readonly start: Uint32Array;
  /** Earlier and later end of each link. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly #attributes: Attributes;

  /** @param pairs detections, two after another, of a link each */
  constructor(
    private readonly gl: WebGL2RenderingContext,
    { x, y, z, frameOf, frames }: Places,
    pairs: ArrayLike<number>,
    colourOf: (from: number, to: number) => readonly [number, number, number, number],
  ) {
    const count = pairs.length / 2;
    const order = Uint32Array.from({ length: count }, (_, n) => n);
    let sorted = true;
    for (let n = 1; n < count && sorted; n++) sorted = pairs[2 * n + 1] >= pairs[2 * n - 1];
    if (!sorted) order.sort((a, b) => pairs[2 * a + 1] - pairs[2 * b + 1]);
    [this.from, this.to] = [new Uint32Array(count), new Uint32Array(count)];
    this.start = new Uint32Array(frames + 1);
    const [tail, head, depths] = [0, 1, 2].map(() => new Float32Array(2 * count));
    const [missed, entered] = [new Float32Array(count), new Float32Array(count)];
    for (let n = 0; n < count; n++) {
      const [a, b] = [pairs[2 * order[n]], pairs[2 * order[n] + 1]];
      [this.from[n], this.to[n]] = [a, b];
      [tail[2 * n], tail[2 * n + 1], head[2 * n], head[2 * n + 1]] = [x[a], y[a], x[b], y[b]];
      [depths[2 * n], depths[2 * n + 1]] = [z[a], z[b]];
      missed[n] = frameOf[b] > frameOf[a] + 1 ? 1 : 0;
      entered[n] = frameOf[b];
      this.start[frameOf[b] + 1]++;
    }
    for (let p = 0; p < frames; p++) this.start[p + 1] += this.start[p];
    this.count = count;
    this.#attributes = createAttribsFromArrays(gl, {
      tail: { numComponents: 2, data: tail, divisor: 1 },
      head: { numComponents: 2, data: head, divisor: 1 },
      depths: { numComponents: 2, data: depths, divisor: 1 },
      missed: { numComponents: 1, data: missed, divisor: 1 },
      entered: { numComponents: 1, data: entered, divisor: 1 },
      colour: { numComponents: 4, data: this.#colours(colourOf), normalize: true, divisor: 1 },
    }) as Attributes;
  }

  recolour(colourOf: (from: number, to: number) => readonly [number, number, number, number]): void {
    setAttribInfoBufferFromArray(this.gl, this.#attributes.colour, this.#colours(colourOf));
  }

  /** The attributes from a link on. */
  attributesFrom(first: number): Record<string, AttribInfo> {
    const bytes = { tail: 8, head: 8, depths: 8, missed: 4, entered: 4, colour: 4 };
    const moved = Object.entries(this.#attributes).map(([name, info]) => {
      return [name, { ...info, offset: first * bytes[name as keyof typeof bytes] }];
    });
    return Object.fromEntries(moved);
  }

  free(): void {
    for (const { buffer } of Object.values(this.#attributes)) this.gl.deleteBuffer(buffer ?? null);
  }

  #colours(colourOf: (from: number, to: number) => readonly [number, number, number, number]): Uint8Array {
    const colours = new Uint8Array(4 * this.from.length);
    for (let n = 0; n < this.from.length; n++) colours.set(colourOf(this.from[n], this.to[n]), 4 * n);
    return colours;
  }
}
