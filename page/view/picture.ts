/** Draws detections and links on a canvas by WebGL 2. A frame and its tail are one stretch of sorted arrays each, so that a step costs what is seen of it. */
import * as twgl from "twgl.js";
import type { Answer, Scene } from "../worker/protocol.js";
import { type Colouring, MISSED, type Rgba, WRONG } from "./colours.js";
import { LinkSet, type Places } from "./link-set.js";
import { IMAGE, LINES, POINTS } from "./shaders.js";
import { MOST_STROKES, type Plane, Strokes } from "./strokes.js";

/** Where the view is: the place in its middle, and pixels of a unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Links that are marked, from above all others. */
export interface Mark {
  readonly pairs: readonly number[];
  readonly colour: Rgba;
  readonly width: number;
}

export interface View {
  readonly frame: number;
  /** Frames of the tail. */
  readonly tail: number;
  readonly camera: Camera;
  /** Pixels of the canvas for one that points and lines are sized in. */
  readonly ratio: number;
  /** Whether all links are drawn, faintly. */
  readonly whole: boolean;
  readonly truth: "none" | "errors" | "beside";
  /** Least and greatest depth that is shown. */
  readonly slab: readonly [number, number];
  readonly marks: readonly Mark[];
  /** Marks below the tails. */
  readonly halo: readonly Mark[];
  /** Detections with a ring around them. */
  readonly rings: readonly number[];
  readonly dark: boolean;
  /** Whether y grows downwards. */
  readonly isDown: boolean;
}

/** Attributes of the program that has most. */
const ATTRIBUTES = 6;

type Drawn = "answer" | "truth" | "wrong" | "missed";

export class Picture {
  readonly #gl: WebGL2RenderingContext;
  readonly #points: twgl.ProgramInfo;
  readonly #lines: twgl.ProgramInfo;
  readonly #strokes: Strokes;
  readonly #image: twgl.ProgramInfo;
  readonly #sets = new Map<Drawn, LinkSet>();
  #places: Places | null = null;
  #centre: readonly [number, number] = [0, 0];
  #frameStart: Uint32Array = new Uint32Array(1);
  #pointAttributes: Record<string, twgl.AttribInfo> | null = null;
  #truthColours: twgl.AttribInfo | null = null;
  #texture: { readonly texture: WebGLTexture; readonly size: readonly [number, number] } | null = null;
  /** All links at some camera, drawn once. */
  readonly #whole: Partial<
    Record<"answer" | "truth", { readonly target: twgl.FramebufferInfo; readonly key: string }>
  > = {};
  #version = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false });
    if (gl === null) throw new Error("This browser has no WebGL 2, by which tracks are drawn.");
    this.#gl = gl;
    const [points, lines, image] = [POINTS, LINES, IMAGE].map((sources) => twgl.createProgramInfo(gl, sources));
    [this.#points, this.#lines, this.#image] = [points, lines, image];
    this.#strokes = new Strokes(gl);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  setScene({ x, y, z, frames, frameStart }: Scene, centre: readonly [number, number]): void {
    const gl = this.#gl;
    for (const name of [...this.#sets.keys()]) this.#replace(name, null);
    for (const { buffer } of Object.values(this.#pointAttributes ?? {})) gl.deleteBuffer(buffer ?? null);
    const frameOf = new Uint32Array(x.length);
    for (let p = 0; p < frames; p++) frameOf.fill(p, frameStart[p], frameStart[p + 1]);
    const around = (values: Float64Array, middle: number) => Float32Array.from(values, (value) => value - middle);
    this.#places = {
      ...{ x: around(x, centre[0]), y: around(y, centre[1]), frameOf, frames },
      z: z === null ? new Float32Array(x.length) : Float32Array.from(z),
    };
    [this.#centre, this.#frameStart] = [centre, frameStart];
    const place = new Float32Array(2 * x.length);
    for (let d = 0; d < x.length; d++) [place[2 * d], place[2 * d + 1]] = [this.#places.x[d], this.#places.y[d]];
    const colours = () => ({ numComponents: 4, data: new Uint8Array(4 * x.length), normalize: true });
    this.#pointAttributes = twgl.createAttribsFromArrays(gl, {
      place: { numComponents: 2, data: place },
      depth: { numComponents: 1, data: this.#places.z },
      colour: colours(),
    });
    this.#truthColours = twgl.createAttribsFromArrays(gl, { colour: colours() }).colour;
    this.#version++;
  }

  setAnswer({ next, divisions, wrong, missed }: Answer, colouring: Colouring): void {
    this.#replace("answer", this.#set(pairsOf(next, divisions), colouring.link));
    this.#replace(
      "wrong",
      this.#set(wrong, () => WRONG),
    );
    this.#replace(
      "missed",
      this.#set(missed, () => MISSED),
    );
  }

  setTruth(next: Int32Array, colouring: Colouring): void {
    this.#replace("truth", this.#set(pairsOf(next, []), colouring.link));
    this.#colourPoints(this.#truthColours, colouring);
  }

  /** Colours the detections, and the links by their later ends. */
  colour(colouring: Colouring): void {
    this.#sets.get("answer")?.recolour(colouring.link);
    this.#colourPoints(this.#pointAttributes?.colour ?? null, colouring);
    this.#version++;
  }

  setImage(image: TexImageSource | null, size: readonly [number, number] = [0, 0]): void {
    const gl = this.#gl;
    if (this.#texture !== null) gl.deleteTexture(this.#texture.texture);
    const options = { min: gl.LINEAR, mag: gl.NEAREST, wrap: gl.CLAMP_TO_EDGE };
    this.#texture = image && { texture: twgl.createTexture(gl, { src: image as never, ...options }), size };
  }

  draw(view: View): void {
    const [gl, places] = [this.#gl, this.#places];
    const { width } = this.canvas;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.SCISSOR_TEST);
    const paper = view.dark ? 0.075 : 1;
    gl.clearColor(paper, paper, view.dark ? 0.09 : 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (places === null) return;
    if (view.truth !== "beside") {
      this.#drawInto(view, 0, width, "answer");
      return;
    }
    const middle = Math.floor(width / 2);
    this.#drawInto(view, 0, middle - 1, "answer");
    this.#drawInto(view, middle + 1, width - middle - 1, "truth");
  }

  #drawInto(view: View, left: number, width: number, shown: "answer" | "truth"): void {
    const gl = this.#gl;
    const { height } = this.canvas;
    gl.viewport(left, 0, width, height);
    gl.scissor(left, 0, width, height);
    gl.enable(gl.SCISSOR_TEST);
    const { camera, ratio, slab, frame, tail } = view;
    const plane: Plane = {
      ratio,
      centre: [camera.x - this.#centre[0], camera.y - this.#centre[1]],
      scale: [camera.scale, view.isDown ? -camera.scale : camera.scale],
      size: [width, height],
      slab,
    };
    this.#drawImage(plane);
    const set = this.#sets.get(shown);
    if (view.whole && set !== undefined) this.#drawWhole(shown, set, plane, left);
    if (shown === "answer") for (const mark of view.halo) this.#drawMark(mark, plane);
    this.#drawSet(shown, tail, 2, plane, frame);
    if (view.truth === "errors" && shown === "answer") {
      this.#drawSet("missed", 1, 2, plane, frame);
      this.#drawSet("wrong", tail, 3, plane, frame);
    }
    if (shown === "answer") for (const mark of view.marks) this.#drawMark(mark, plane);
    this.#drawPoints(plane, frame, shown);
    if (shown === "answer") this.#drawRings(view.rings, plane, view.dark);
  }

  /** The links of a set into the last frames. */
  #drawSet(name: Drawn, back: number, width: number, plane: Plane, frame: number): void {
    const set = this.#sets.get(name);
    if (set === undefined || this.#places === null) return;
    const [first, last] = [set.start[Math.max(0, frame - back + 1)], set.start[frame + 1]];
    if (last - first > MOST_STROKES) this.#drawLines(name, set, [first, last], plane, 0.7);
    else this.#strokes.draw(set, [first, last], this.#places, plane, width, { frame, over: back > 1 ? back : 0 });
  }

  #drawPoints(plane: Plane, frame: number, shown: "answer" | "truth"): void {
    const gl = this.#gl;
    if (this.#pointAttributes === null || this.#truthColours === null) return;
    const [first, last] = [this.#frameStart[frame], this.#frameStart[frame + 1]];
    const { place, depth, colour } = this.#pointAttributes;
    const diameter = last - first > 20_000 ? 2 : last - first > 3000 ? 4 : 7;
    gl.useProgram(this.#points.program);
    this.#bind(this.#points, { place, depth, colour: shown === "answer" ? colour : this.#truthColours });
    twgl.setUniforms(this.#points, { ...plane, diameter: diameter * plane.ratio });
    gl.drawArrays(gl.POINTS, first, last - first);
  }

  #drawRings(rings: readonly number[], plane: Plane, dark: boolean): void {
    const [gl, places] = [this.#gl, this.#places as Places];
    if (rings.length === 0) return;
    const place = rings.flatMap((d) => [places.x[d], places.y[d]]);
    const ink = dark ? 255 : 20;
    for (const [diameter, colour] of [
      [15, [ink, ink, ink, 255]],
      [11, dark ? [19, 19, 23, 255] : [255, 255, 255, 255]],
    ] as const) {
      const attributes = twgl.createAttribsFromArrays(gl, {
        place: { numComponents: 2, data: new Float32Array(place) },
        depth: { numComponents: 1, data: Float32Array.from(rings, (d) => places.z[d]) },
        colour: { numComponents: 4, data: new Uint8Array(rings.flatMap(() => colour)), normalize: true },
      });
      gl.useProgram(this.#points.program);
      this.#bind(this.#points, attributes);
      twgl.setUniforms(this.#points, { ...plane, diameter: diameter * plane.ratio });
      gl.drawArrays(gl.POINTS, 0, rings.length);
      for (const { buffer } of Object.values(attributes)) gl.deleteBuffer(buffer ?? null);
    }
    this.#bind(this.#points, this.#pointAttributes ?? {});
    twgl.setUniforms(this.#points, { ...plane, diameter: 7 * plane.ratio });
    for (const d of rings) gl.drawArrays(gl.POINTS, d, 1);
  }

  #drawMark({ pairs, colour, width }: Mark, plane: Plane): void {
    const set = this.#set(pairs, () => colour);
    if (set === null || this.#places === null) return;
    this.#strokes.draw(set, [0, set.count], this.#places, plane, width, { frame: 0, over: 0 });
    set.free();
  }

  #drawLines(
    name: Drawn,
    { indices }: LinkSet,
    [first, last]: readonly [number, number],
    plane: Plane,
    opacity: number,
  ) {
    const gl = this.#gl;
    if (this.#pointAttributes === null || this.#truthColours === null) return;
    const { place, depth, colour } = this.#pointAttributes;
    gl.useProgram(this.#lines.program);
    this.#bind(this.#lines, { place, depth, colour: name === "truth" ? this.#truthColours : colour });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    twgl.setUniforms(this.#lines, { ...plane, opacity });
    gl.drawElements(gl.LINES, 2 * (last - first), gl.UNSIGNED_INT, 8 * first);
  }

  #bind(program: twgl.ProgramInfo, attribs: Record<string, twgl.AttribInfo>): void {
    // Buffers of attributes that another program has used may be gone.
    for (let n = 0; n < ATTRIBUTES; n++) this.#gl.disableVertexAttribArray(n);
    twgl.setBuffersAndAttributes(this.#gl, program, { attribs } as twgl.BufferInfo);
  }

  /** All links, faintly: drawn when the view moves, and copied while frames pass. */
  #drawWhole(name: "answer" | "truth", set: LinkSet, plane: Plane, left: number): void {
    const gl = this.#gl;
    const [width, height] = plane.size;
    const key = `${JSON.stringify(plane)} ${this.#version}`;
    const kept = this.#whole[name];
    const isSame = kept?.target.width === width && kept.target.height === height;
    const target = isSame ? kept.target : twgl.createFramebufferInfo(gl, [{ format: gl.RGBA }], width, height);
    if (kept?.key !== key) {
      if (!isSame && kept !== undefined) {
        gl.deleteFramebuffer(kept.target.framebuffer);
        gl.deleteTexture(kept.target.attachments[0] as WebGLTexture);
      }
      twgl.bindFramebufferInfo(gl, target);
      gl.disable(gl.SCISSOR_TEST);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      this.#drawLines(name, set, [0, set.count], plane, 0.2);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(left, 0, width, height);
      gl.enable(gl.SCISSOR_TEST);
      this.#whole[name] = { target, key };
    }
    this.#copy(target.attachments[0] as WebGLTexture, width, height);
  }

  #copy(texture: WebGLTexture, width: number, height: number): void {
    const gl = this.#gl;
    gl.useProgram(this.#image.program);
    this.#bind(this.#image, {});
    twgl.setUniforms(this.#image, {
      ...{
        centre: [0, 0],
        middle: [width / 2 - 0.5, height / 2 - 0.5],
        extent: [width, height],
        scale: [1, 1],
        size: [width, height],
      },
      ...{ image: texture, opacity: 1 },
    });
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  #drawImage(plane: Plane): void {
    const gl = this.#gl;
    if (this.#texture === null) return;
    gl.useProgram(this.#image.program);
    this.#bind(this.#image, {});
    twgl.setUniforms(this.#image, {
      ...{ ...plane, extent: this.#texture.size, middle: this.#centre, image: this.#texture.texture, opacity: 1 },
    });
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  #colourPoints(attribute: twgl.AttribInfo | null, colouring: Colouring): void {
    if (attribute === null || this.#places === null) return;
    const colours = new Uint8Array(4 * this.#places.x.length);
    for (let d = 0; d < this.#places.x.length; d++) colours.set(colouring.point(d), 4 * d);
    twgl.setAttribInfoBufferFromArray(this.#gl, attribute, colours);
  }

  #set(pairs: ArrayLike<number>, colourOf: (to: number) => Rgba): LinkSet | null {
    if (this.#places === null || pairs.length === 0) return null;
    return new LinkSet(this.#gl, this.#places, pairs, colourOf);
  }

  #replace(name: Drawn, set: LinkSet | null): void {
    this.#sets.get(name)?.free();
    if (set === null) this.#sets.delete(name);
    else this.#sets.set(name, set);
    this.#version++;
  }
}

/** The links of tracks and divisions by their later ends. */
function pairsOf(next: Int32Array, divisions: readonly (readonly [number, number])[]): Uint32Array {
  const before = new Int32Array(next.length).fill(-1);
  let count = 0;
  next.forEach((to, from) => {
    if (to >= 0) [before[to], count] = [from, count + 1];
  });
  for (const [from, to] of divisions) {
    if (before[to] < 0) count++;
    before[to] = from;
  }
  const pairs = new Uint32Array(2 * count);
  let n = 0;
  before.forEach((from, to) => {
    if (from >= 0) [pairs[2 * n], pairs[2 * n++ + 1]] = [from, to];
  });
  return pairs;
}
