import { refuse } from "../../files/refusal.js";
import { argument, command } from "../declaration/declaration.js";
import { EXIT } from "../exit.js";
import { inputFile } from "../options/files.js";
import { type TrackFlags, trackOptions } from "../options/track.js";
import { withProvenance } from "../print.js";
import { describeTracking } from "./text.js";
import { Tracking } from "./tracking.js";

export const track = command({
  group: "Tracks",
  summary: "Track frame by frame as measurements arrive: a row for each as its frame closes, and a summary at the end.",
  arguments: {
    detections: argument("CSV: frame,x,y[,target], frames in order; - reads standard input", inputFile),
  },
  options: trackOptions(),
  examples: [
    "rmap simulate scenarios/belt/cylinders.json | rmap track - -o tracks.csv",
    "rmap track belt.csv --realtime 200 --associate auction -o tracks.csv",
    "rmap track belt.csv --view 0.2,0.35,, --line x=0.39 --decisions decisions.csv -o tracks.csv",
    "camera | rmap track - --state line1.json --reorder 2 > tracks.csv",
  ],
  notes: "Lengths are those of the file, times are counted in frames. Details: docs/explanation/sorting.md.",
  async run({ detections: input }, flags, context) {
    refuseUnused(input, flags, context.refuse);
    const tracking = await Tracking.open(input, flags, context.progress);
    await tracking.read();
    const report = tracking.report();
    return {
      text: describeTracking(report, flags.verbose === true),
      json: withProvenance(report),
      aside: flags.output === undefined,
      code: report.interrupted ? EXIT.interrupted : undefined,
    };
  },
});

function refuseUnused(
  input: string,
  { associate, decisions, line }: TrackFlags,
  refuseGiven: (names: readonly string[], why: string) => void,
): void {
  if (!associate.endsWith("auction"))
    refuseGiven(["bidStep", "rounds"], `is of an auction, and ${associate} is none; leave it out`);
  if (associate !== "gpu-auction" && associate !== "block-hungarian")
    refuseGiven(["device"], `${associate} runs on the CPU; leave it out`);
  if (decisions !== undefined && line === undefined) refuse("--decisions", "there is no line", "give --line too");
  if (/\.(xml|json)$/i.test(input)) refuse(input, "is not CSV by its ending", "give CSV: frame,x,y[,target]");
}
