import { COUNTED, type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import { refuse } from "../files/refusal.js";
import type { DetectionRow } from "./detection-stream.js";
import type { DetectionsMetadata } from "./detections-metadata.js";
import { frameAt, maxFrames } from "./frame-order.js";

/** The detections of one frame as they stand in the input; velocities are NaN where there are none. */
export interface OrderedFrame {
  readonly x: number[];
  readonly y: number[];
  readonly vx: number[];
  readonly vy: number[];
  /** There where the input has depths. */
  readonly z?: number[];
  readonly vz?: number[];
  /** True identities, null for a false detection or where there are none. */
  readonly target: (string | null)[];
  /** Cells of the columns that are handed on, as DetectionRow has them. */
  readonly carried: string[];
}

const emptyFrame = (depths: boolean): OrderedFrame => ({
  ...{ x: [], y: [], vx: [], vy: [], target: [], carried: [] },
  ...(depths && { z: [], vz: [] }),
});

/** Rows that come in order of their frames, as frames; frames without rows are empty. */
export class FramesInOrder {
  readonly #frames: OrderedFrame[] = [];
  #current: OrderedFrame | null = null;
  /** Of the current frame. */
  readonly #targets = new Set<string>();
  #frame = -1;
  #stated: number | null = null;
  #numbers: FrameNumbers = COUNTED;
  #depths = false;

  constructor(readonly file: string) {}

  begin({ frames, step }: DetectionsMetadata, depths: boolean): void {
    this.#depths = depths;
    this.#stated = frames;
    this.#numbers = { first: 0, step };
  }

  /** Of the frames, once the first row has come. */
  get numbers(): FrameNumbers {
    return this.#numbers;
  }

  /** Goes on within a frame of a recording whose frames have these numbers; its rows before are left out. */
  resume(frame: number, numbers: FrameNumbers): void {
    this.#numbers = numbers;
    this.#frame = frame;
    this.#current = emptyFrame(this.#depths);
  }

  /** The frame whose rows come, counted from 0; −1 before the first. */
  get frame(): number {
    return this.#frame;
  }

  add(row: DetectionRow): void {
    const place = `${this.file}:${row.line}, column frame`;
    if (this.#current === null) this.#begin(row.frame);
    const now = frameNumber(this.#numbers, this.#frame);
    if (row.frame < now)
      refuse(place, `${row.frame} comes after ${now}`, "sort the rows by frame, or leave --window out");
    const frame = frameAt(place, this.#numbers, row.frame, this.#stated);
    if (frame - this.#frame > maxFrames) {
      refuse(place, `${row.frame} is more than ${maxFrames} frames after ${now}`, "number the frames 0, 1, 2, …");
    }
    while (this.#frame < frame) this.#next();
    const current = this.#current as OrderedFrame | null;
    if (current === null) return;
    current.x.push(row.x);
    current.y.push(row.y);
    current.vx.push(row.vx);
    current.vy.push(row.vy);
    current.z?.push(row.z);
    current.vz?.push(row.vz);
    if (row.target !== null && this.#targets.has(row.target)) {
      refuse(
        `${this.file}:${row.line}, column target`,
        `${row.target} is there twice in frame ${row.frame}`,
        "a target has one detection in a frame: correct one, or leave its target empty",
      );
    }
    if (row.target !== null) this.#targets.add(row.target);
    current.target.push(row.target);
    current.carried.push(row.carried);
  }

  /** No more rows: the last frame is complete, and so are empty ones that were stated. */
  end(): void {
    if (this.#current === null) return;
    while (this.#stated !== null && this.#frame < this.#stated - 1) this.#next();
    this.#next();
  }

  /** The frames that are complete and were not taken yet. */
  taken(): OrderedFrame[] {
    return this.#frames.splice(0);
  }

  #begin(number: number): void {
    // As for a whole file: the first row's frame is the first, unless the number of frames is stated.
    const { step } = this.#numbers;
    this.#numbers = { first: this.#stated === null ? number : number % step, step };
    this.#frame = 0;
    this.#current = emptyFrame(this.#depths);
  }

  #next(): void {
    this.#targets.clear();
    if (this.#current !== null) this.#frames.push(this.#current);
    this.#current = emptyFrame(this.#depths);
    this.#frame++;
  }
}
