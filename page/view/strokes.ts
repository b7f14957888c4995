/** Lines with a width, as quads that the page makes for each frame: software drivers draw an instance as slowly as a whole draw. */
import { createProgramInfo, type ProgramInfo, setUniforms } from "twgl.js";
import type { LinkSet, Places } from "./link-set.js";
import { STROKES } from "./shaders.js";

/** Lines that are drawn with a width at a time; of more they would only cover each other. */
export const MOST_STROKES = 20_000;

/** Of a corner: its place in pixels, its place along and across the line, whether the line is dashed, and a colour. */
const WORDS = 6;
const CORNERS = 4;

export interface Plane {
  /** What is in the middle, around the scene's centre. */
  readonly centre: readonly [number, number];
  /** Pixels of a unit along x and y. */
  readonly scale: readonly [number, number];
  /** In pixels. */
  readonly size: readonly [number, number];
  readonly slab: readonly [number, number];
  /** Pixels for one of a line's width. */
  readonly ratio: number;
}

export interface Fade {
  readonly frame: number;
  /** Frames after which a line is faint; 0 for none. */
  readonly over: number;
}

export class Strokes {
  readonly #program: ProgramInfo;
  readonly #corners: WebGLBuffer;
  readonly #quads: WebGLBuffer;
  readonly #numbers = new Float32Array(MOST_STROKES * CORNERS * WORDS);
  readonly #bytes = new Uint8Array(this.#numbers.buffer);

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.#program = createProgramInfo(gl, STROKES);
    this.#corners = gl.createBuffer() as WebGLBuffer;
    this.#quads = gl.createBuffer() as WebGLBuffer;
    const indices = new Uint32Array(6 * MOST_STROKES);
    for (let n = 0; n < MOST_STROKES; n++)
      indices.set(
        [0, 1, 2, 2, 1, 3].map((corner) => 4 * n + corner),
        6 * n,
      );
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#quads);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  }

  /** Draws a stretch of links; the last ones where there are too many. */
  draw(
    set: LinkSet,
    [first, last]: readonly [number, number],
    places: Places,
    plane: Plane,
    thickness: number,
    fade: Fade,
  ) {
    const width = thickness * plane.ratio;
    let strokes = 0;
    for (let n = Math.max(first, last - MOST_STROKES); n < last; n++) {
      if (this.#write(strokes, set, n, places, plane, width, fade)) strokes++;
    }
    if (strokes === 0) return;
    const { gl } = this;
    const { program } = this.#program;
    gl.useProgram(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#corners);
    gl.bufferData(gl.ARRAY_BUFFER, this.#numbers.subarray(0, strokes * CORNERS * WORDS), gl.STREAM_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#quads);
    const stride = 4 * WORDS;
    for (const [name, size, type, normalized, offset] of [
      ["place", 2, gl.FLOAT, false, 0],
      ["at", 3, gl.FLOAT, false, 8],
      ["colour", 4, gl.UNSIGNED_BYTE, true, 20],
    ] as const) {
      const location = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, type, normalized, stride, offset);
    }
    setUniforms(this.#program, { size: plane.size, width });
    gl.drawElements(gl.TRIANGLES, 6 * strokes, gl.UNSIGNED_INT, 0);
  }

  /** Writes the corners of a link; false where it is at none of the depths that are shown. */
  #write(
    stroke: number,
    { ends, colours }: LinkSet,
    n: number,
    { x, y, z, frameOf }: Places,
    { centre, scale, slab }: Plane,
    width: number,
    { frame, over }: Fade,
  ): boolean {
    const [from, to] = [ends[2 * n], ends[2 * n + 1]];
    if (Math.max(z[from], z[to]) < slab[0] || Math.min(z[from], z[to]) > slab[1]) return false;
    const ax = (x[from] - centre[0]) * scale[0];
    const ay = (y[from] - centre[1]) * scale[1];
    const bx = (x[to] - centre[0]) * scale[0];
    const by = (y[to] - centre[1]) * scale[1];
    const length = Math.hypot(bx - ax, by - ay) || 1e-3;
    const half = 0.5 * width + 1;
    const [ux, uy] = [((bx - ax) / length) * half, ((by - ay) / length) * half];
    const age = over > 0 ? Math.min(1, Math.max(0, (frame - frameOf[to]) / over)) : 0;
    const dashed = frameOf[to] > frameOf[from] + 1 ? 1 : 0;
    const numbers = this.#numbers;
    for (let corner = 0; corner < CORNERS; corner++) {
      const at = (stroke * CORNERS + corner) * WORDS;
      const side = corner % 2 === 0 ? -1 : 1;
      const isEnd = corner >= 2;
      numbers[at] = (isEnd ? bx + ux : ax - ux) - uy * side;
      numbers[at + 1] = (isEnd ? by + uy : ay - uy) + ux * side;
      numbers[at + 2] = isEnd ? length + 2 * half : 0;
      numbers[at + 3] = side * half;
      numbers[at + 4] = dashed;
      const byte = 4 * (at + 5);
      for (let channel = 0; channel < 3; channel++) this.#bytes[byte + channel] = colours[4 * n + channel];
      this.#bytes[byte + 3] = colours[4 * n + 3] * (1 - 0.75 * age);
    }
    return true;
  }
}
