/** One decoded image: what src/files reads and src/pixels computes with. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  /** 1: grey or luma; 3: R, G, B. */
  readonly channels: 1 | 3;
  /** Row by row from the top left, the channels of a pixel next to each other; finite values as in the file. */
  readonly samples: Uint8Array | Uint16Array | Float32Array;
  /** The file, and the frame where the file holds several; messages name it. */
  readonly place: string;
}
