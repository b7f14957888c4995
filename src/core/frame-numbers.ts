/** How a recording numbers its frames: frame p, counted from 0, has the number first + step · p in the input and in every output. */
export interface FrameNumbers {
  readonly first: number;
  readonly step: number;
}

/** Frames that are numbered as they are counted. */
export const COUNTED: FrameNumbers = { first: 0, step: 1 };

export const areCounted = ({ first, step }: FrameNumbers): boolean => first === 0 && step === 1;

/** The number of frame p. */
export const frameNumber = ({ first, step }: FrameNumbers, p: number): number => first + step * p;

/** The frame of that number, counted from 0; no integer where the recording has none. */
export const frameOfNumber = ({ first, step }: FrameNumbers, number: number): number => (number - first) / step;
