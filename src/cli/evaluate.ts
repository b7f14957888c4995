import { Command } from "commander";
import { InputError } from "../core/errors.js";
import { readDetections } from "../formats/detections.js";
import { readTracks } from "../formats/tracks.js";
import { scoreTracks } from "../scores/score.js";
import { EXIT } from "./exit.js";
import { nonNegative, path } from "./options.js";
import { formatPercent } from "./text.js";

interface EvaluateFlags {
  readonly json?: true;
  readonly maxMmep?: number;
  readonly maxItcp?: number;
}

export function evaluateCommand(): Command {
  return new Command("evaluate")
    .description("Score tracks against the true targets of their detections.")
    .argument("<detections>", "CSV with a target column", path)
    .argument("<tracks>", "tracks.csv of the same detections: frame,detection,track[,x,y]", path)
    .option("--json", "print the scores as one JSON object")
    .option("--max-mmep <percent>", "exit with code 3 when MMEP is larger", nonNegative)
    .option("--max-itcp <percent>", "exit with code 3 when ITCP is larger", nonNegative)
    .addHelpText(
      "after",
      `
Examples:
  $ rmap evaluate scenarios/data/opensky_uk_60s.csv results/opensky/tracks.csv
  $ rmap evaluate demo.csv results/demo/tracks.csv --json --max-mmep 3

MMEP: true links not found, of all true links. ITCP: targets with a true link not found, of all targets with one.`,
    )
    .action((detectionsFile: string, tracksFile: string, flags: EvaluateFlags) => {
      const { detections, firstFrame } = readDetections(detectionsFile, "ignored");
      if (detections.target === null) {
        throw new InputError(`${detectionsFile}: has no column target; add the true target of each detection`);
      }
      const track = readTracks(tracksFile, detections, firstFrame);
      const scores = scoreTracks(detections.frameStart, detections.target, track);
      if (scores === null) {
        throw new InputError(
          `${detectionsFile}: no target is seen in two consecutive frames; there is nothing to score`,
        );
      }
      process.stdout.write(
        flags.json
          ? `${JSON.stringify(scores)}\n`
          : `MMEP ${formatPercent(scores.mmep)} (${scores.missedLinks} of ${scores.trueLinks} true links not found)\n` +
              `ITCP ${formatPercent(scores.itcp)} (${scores.brokenTargets} of ${scores.targets} targets)\n` +
              `false links ${scores.falseLinks}\n`,
      );
      const tooMany = (score: number, most: number | undefined) => most !== undefined && score > most;
      if (tooMany(scores.mmep, flags.maxMmep) || tooMany(scores.itcp, flags.maxItcp)) {
        process.stderr.write("rmap: the scores are above what is required\n");
        process.exitCode = EXIT.belowRequired;
      }
    });
}
