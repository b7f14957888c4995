/** What the page and its worker tell each other. */
import type { Correction } from "../../dist/core/fixed-links.js";
import type { Frame } from "../../dist/core/frame.js";

export type { Correction };

/** Where ascents run: whichever is expected to be faster, the browser's WebGPU whatever draws it, or the CPU. */
export const DEVICES = { auto: "whichever is faster", software: "WebGPU", cpu: "the CPU" } as const;
export type Device = keyof typeof DEVICES;

/** Detections and what is known of them, by their numbers over all frames. */
export interface Scene {
  readonly name: string;
  readonly frames: number;
  readonly frameStart: Uint32Array;
  /** Of the first frame in the file, and the difference of two. */
  readonly firstFrame: number;
  readonly frameStep: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array | null;
  /** True identity, −1 for a false detection. */
  readonly target: Int32Array | null;
  readonly columns: readonly (readonly [name: string, values: Float64Array])[];
  readonly unit: string | null;
  /** Whether y grows downwards, as in images. */
  readonly isImage: boolean;
  /** Whether the page has the input, so that it can be solved here. */
  readonly canSolve: boolean;
  /** What a solve is expected to take, or why there can be none, in words. */
  readonly memory: string;
  readonly notes: readonly string[];
  /** The numbers by which the detections were drawn; null for recordings. */
  readonly simulation: Simulation | null;
}

export interface Simulation {
  readonly targets: number;
  readonly frames: number;
  /** Standard deviation of a position. */
  readonly noise: number;
  /** Targets that start in a square, or a cube, with the side 1. */
  readonly density: number;
  readonly seed: number;
}

/** Tracks and what is proved of them. */
export interface Answer {
  readonly track: Int32Array;
  /** The next detection of each one's track, −1 at its end. */
  readonly next: Int32Array;
  /** From a mother's last detection to a daughter's first. */
  readonly divisions: readonly (readonly [from: number, to: number])[];
  readonly mothers: ReadonlyMap<number, number>;
  /** Of the link out of each detection, NaN where there is none; null where nothing was proved of links. */
  readonly margin: Float64Array | null;
  readonly lowerBound: number | null;
  readonly upperBound: number | null;
  readonly gapPercent: number | null;
  readonly status: string;
  readonly seconds: number | null;
  /** The device that ran: "cpu", or the name of a GPU. */
  readonly device: string;
  readonly notes: readonly string[];
  /** Links of the answer that are none of the truth, and the true ones that it lacks: pairs, one after another. */
  readonly wrong: readonly number[];
  readonly missed: readonly number[];
  /** Links, and starts and ends of tracks inside the recording, the least sure first; the first of very many. */
  readonly doubtful: readonly Doubtful[];
  /** How many there are in all. */
  readonly decided: number;
}

/** Something that was decided, and may be looked at: −1 in the place of what a start or an end has not. */
export interface Doubtful {
  readonly kind: "link" | "start" | "end";
  readonly from: number;
  readonly to: number;
  readonly margin: number;
}

/** What the best answer without a link lacks and has, two detections a link. */
export interface Instead {
  readonly gone: readonly number[];
  readonly added: readonly number[];
  /** By how much it costs more. */
  readonly dearer: number;
}

export interface GivenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** An image of 8 bits a channel. */
export interface Decoded extends Pick<Frame, "width" | "height" | "channels"> {
  readonly samples: Uint8Array;
}

/** What the given files were taken for. */
export interface Opened {
  readonly scene: Scene | null;
  readonly answer: Answer | null;
  readonly corrections: readonly Correction[] | null;
  /** What a proof shows, where one was given. */
  readonly verdict: Verdict | null;
}

export interface Verdict {
  readonly holds: boolean;
  readonly text: string;
}

export interface Progress {
  readonly phase: string;
  readonly lowerBound?: number;
  readonly upperBound?: number;
  readonly iteration?: number;
  readonly seconds: number;
}

export interface ExportedFile {
  readonly name: string;
  readonly text: string;
}

/** The worker's functions; each call is answered by its result or an error in words. */
export interface Calls {
  /** The files that the page was made with, as text of base64 over a zip. */
  unpack(base64: string): Promise<Opened>;
  open(files: readonly GivenFile[]): Promise<Opened>;
  /** The images of files that browsers do not show. */
  decode(files: readonly GivenFile[]): Promise<readonly Decoded[]>;
  /** Draws the simulated detections that are open by other numbers. */
  draw(simulation: Simulation): Promise<Opened>;
  solve(corrections: readonly Correction[], device: Device): Promise<Answer>;
  /** Ends the present solve; what is known by then is certified. */
  stop(): void;
  /** The best answer that keeps to the corrections, at the costs of the present one. */
  correct(corrections: readonly Correction[]): Promise<Answer>;
  /** What the best answer without a link would be; null where nothing was solved here. */
  instead(corrections: readonly Correction[], link: Pick<Correction, "from" | "to">): Promise<Instead | null>;
  exports(corrections: readonly Correction[]): Promise<readonly ExportedFile[]>;
}

export type CallName = keyof Calls;
export interface Call {
  readonly id: number;
  readonly name: CallName;
  readonly args: readonly unknown[];
}
export type Message =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly progress: Progress };
