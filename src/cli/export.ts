import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { withFile } from "../files/refusal.js";
import { writeWhole } from "../files/whole-file.js";
import { EXPORTS, type ExportName } from "../formats/exports.js";
import { motShift } from "../formats/mot.js";
import { readPlacedTracks } from "../formats/tracks.js";
import { argument, choice, command, option } from "./declaration/declaration.js";
import { inputFile, outputFile } from "./options/files.js";

export const exportTracks = command({
  group: "Tracks",
  summary: "Write tracks in the format of another program.",
  arguments: { tracks: argument("tracks.csv: frame,track,x,y", inputFile) },
  options: {
    as: choice(
      "--as <format>",
      "csv: frame,track,x,y; mot: MOTChallenge text; trackmate: XML; ctc: a folder of the Cell Tracking Challenge; napari: a Tracks layer's CSV; geff: a GEFF folder (Zarr 2)",
      Object.keys(EXPORTS) as ExportName[],
    ).needed(),
    output: option("-o, --output <path>", "write the file there, or for ctc and geff the folder", outputFile).needed(),
  },
  examples: [
    "rmap export results/cells/tracks.csv --as napari -o cells.napari.csv",
    "rmap export results/cells/tracks.csv --as geff -o cells.geff",
    "rmap export results/cells/tracks.csv --as ctc -o cells_RES",
  ],
  notes: `Frames keep their numbers; but a frame 0 is frame 1 in mot, and those after it follow.
Detections in no track are left out of csv, mot, ctc and napari; in geff they are nodes of track -1 without edges, in trackmate spots without edges.
csv, ctc and geff say which track is the mother of which. ctc draws a disc of 5 pixels for each detection, so x and y must be pixels.
rmap evaluate reads all of these forms.`,
  run({ tracks: file }, { as, output }) {
    const tracks = readPlacedTracks(file);
    const content = EXPORTS[as](tracks);
    if (typeof content === "string") writeWhole(output, content);
    else {
      for (const [name, bytes] of content) {
        const part = join(output, name);
        withFile(part, () => mkdirSync(dirname(part), { recursive: true }));
        writeWhole(part, bytes);
      }
    }
    const shift = as === "mot" ? motShift(tracks) : 0;
    const first = tracks.frame[0];
    const numbered =
      shift > 0 ? `: frame ${first} is frame ${first + shift} there, as MOTChallenge has no frame 0` : "";
    return { text: `wrote ${output}${numbered}\n`, json: { output, as, shift } };
  },
});
