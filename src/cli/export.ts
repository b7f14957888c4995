import { dirname, resolve } from "node:path";
import { ensureFolder, stageFolder, writeWhole } from "../files/whole-file.js";
import { readAnyTracks } from "../formats/answer.js";
import { EXPORTS, type ExportName, exportNotes, filesBeside, PARTS } from "../formats/exports.js";
import { motShift } from "../formats/mot.js";
import { argument, choice, command, option } from "./declaration/declaration.js";
import { inputFile, outputFile } from "./options/files.js";
import { trackColumns } from "./options/reading.js";
import { labelled, textOf } from "./print.js";

export const exportTracks = command({
  group: "Tracks",
  summary: "Write tracks in the format of another program.",
  arguments: { tracks: argument("tracks.csv: frame,track,x,y, or tracks of any form that export writes", inputFile) },
  options: {
    as: choice(
      "--as <format>",
      "csv: frame,track,x,y; mot: MOTChallenge text; trackmate: XML; ctc: a folder of the Cell Tracking Challenge; napari: a Tracks layer's CSV; geff: a GEFF folder (Zarr 2)",
      Object.keys(EXPORTS) as ExportName[],
    ).needed(),
    output: option("-o, --output <path>", "write the file there, or for ctc and geff the folder", outputFile).needed(),
    trackColumns: trackColumns(),
  },
  examples: [
    "rmap export results/cells/tracks.csv --as napari -o cells.napari.csv",
    "rmap export results/cells/tracks.csv --as geff -o cells.geff",
    "rmap export results/cells/tracks.csv --as ctc -o cells_RES",
  ],
  notes: `Frames keep their numbers; but a frame 0 is frame 1 in mot, and those after it follow. What a form has no place for is said in a note.
Detections in no track are left out of csv, mot, ctc and napari; in geff they are nodes of track -1 without edges, in trackmate spots without edges.
All but mot say which track is the mother of which, napari in the layer's graph beside the CSV (FILE.graph.json).
ctc draws a disc of 5 pixels for each detection, so x and y must be pixels, and z pages. Export, summary and evaluate read all of these forms.`,
  async run({ tracks: file }, { as, output, trackColumns }) {
    const { notes: said, ...tracks } = await readAnyTracks(file, trackColumns);
    const content = EXPORTS[as](tracks);
    const beside = filesBeside(as, output, tracks);
    if (typeof content === "string") writeWhole(output, content);
    else {
      ensureFolder(dirname(resolve(output)));
      stageFolder(output, content, PARTS).commit();
    }
    for (const [path, bytes] of beside) writeWhole(path, bytes);
    const notes = [...said, ...exportNotes(as, tracks)];
    const written = [output, ...beside.map(([path]) => path)];
    const text = textOf([`wrote ${written.join(", ")}`, ...notes.map(labelled)]);
    return { text, json: { output, as, written, notes, shift: as === "mot" ? motShift(tracks) : 0 } };
  },
});
