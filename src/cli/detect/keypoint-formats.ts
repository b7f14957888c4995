/** The formats of keypoints that `rmap detect` writes. */
import type { Keypoints } from "../../core/keypoints.js";
import { encodeNpy } from "../../files/npy-writer.js";
import {
  formatKeypointsCsv,
  formatLowe,
  formatOpencv,
  formatOxford,
  formatVlfeat,
  keypointRows,
} from "../../formats/keypoints.js";
import { choice } from "../declaration/declaration.js";

export interface KeypointFormat {
  readonly extension: string;
  /** What its rows are, where they are a table with the column frame. */
  readonly points?: string;
  readonly encode: (keypoints: Keypoints, frame: number) => string | Uint8Array;
}

export const FORMATS: Readonly<Record<string, KeypointFormat>> = {
  lowe: { extension: ".key", encode: formatLowe },
  vlfeat: { extension: ".sift", encode: formatVlfeat },
  opencv: { extension: ".yml", encode: formatOpencv },
  oxford: { extension: ".oxford", encode: formatOxford },
  csv: { extension: ".csv", points: "keypoint", encode: formatKeypointsCsv },
  npy: {
    extension: ".npy",
    encode: (keypoints) => {
      const { columns, rows } = keypointRows(keypoints);
      return encodeNpy([keypoints.x.length, columns], rows);
    },
  },
};

export const format = () => choice("--format <name>", "format of the keypoints' file", Object.keys(FORMATS)).or("csv");
