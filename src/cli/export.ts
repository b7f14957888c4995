import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command, Option } from "commander";
import { withFile } from "../files/refusal.js";
import { writeWhole } from "../files/whole-file.js";
import { EXPORTS, type ExportName } from "../formats/exports.js";
import { motShift } from "../formats/mot.js";
import { readPlacedTracks } from "../formats/tracks.js";
import { inputFile, outputFile } from "./named-files.js";
import { printText } from "./print.js";

export function exportCommand(): Command {
  return new Command("export")
    .description("Write tracks in another program's form.")
    .argument("<tracks>", "tracks.csv: frame,track,x,y", inputFile)
    .addOption(
      new Option("--as <form>", "mot: MOTChallenge text; napari: a Tracks layer's CSV; geff: a GEFF folder (Zarr 2)")
        .choices(Object.keys(EXPORTS))
        .makeOptionMandatory(),
    )
    .requiredOption("-o, --output <path>", "file, or for geff the folder, to write", outputFile)
    .addHelpText(
      "after",
      `
Examples:
  $ rmap export results/cells/tracks.csv --as napari -o cells.napari.csv
  $ rmap export results/cells/tracks.csv --as geff -o cells.geff

Frames keep their numbers; but a frame 0 is frame 1 in mot, and those after it follow.
Detections in no track are left out of mot and napari; in geff they are nodes of track -1 without edges.`,
    )
    .action((tracksFile: string, { as, output }: { as: ExportName; output: string }) => {
      const tracks = readPlacedTracks(tracksFile);
      const content = EXPORTS[as](tracks);
      if (typeof content === "string") writeWhole(output, content);
      else {
        for (const [name, bytes] of content) {
          const file = join(output, name);
          withFile(file, () => mkdirSync(dirname(file), { recursive: true }));
          writeWhole(file, bytes);
        }
      }
      const first = tracks.frame[0];
      const numbered =
        as === "mot" && motShift(tracks) > 0
          ? `: frame ${first} is frame ${first + motShift(tracks)} there, as MOTChallenge has no frame 0`
          : "";
      printText(`wrote ${output}${numbered}\n`);
    });
}
