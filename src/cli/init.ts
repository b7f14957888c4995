import { existsSync } from "node:fs";
import { join } from "node:path";
import { refuse } from "../files/refusal.js";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { formatDetections } from "../formats/detections.js";
import { simulate } from "../simulation/trajectories.js";
import { command, optionalArgument } from "./declaration/declaration.js";
import { outputFolder } from "./options/files.js";
import { textOf } from "./print.js";

const FILES = { detections: "detections.csv", scenario: "scenario.json" } as const;

/** Targets that are missed now and then, among false detections: what rmap is for, and small enough to be read. */
const EXAMPLE = {
  ...{ targets: 12, frames: 30, spread: 40, velocities: "none" as const },
  faults: { missed: 0.08, clutter: 1, births: 0.3, deaths: 0.01 },
} as const;
const SEED = 1;

/** The settings that a scenario may state, with the values that they have anyway. */
const SCENARIO = {
  name: "example",
  description: "Replace detections.csv by your own: a header frame,x,y and a row for each detection.",
  detections: { file: FILES.detections },
  ...{ cost: "motion", gate: "auto", births: "auto" },
  solve: { iterations: 2000, gap: 0.05 },
};

export const init = command({
  group: "Tracks",
  summary: "Write an example to begin with: a recording with its true targets, and a scenario for it.",
  arguments: {
    folder: optionalArgument("folder for the two files (default: this one)", outputFolder(Object.values(FILES))),
  },
  options: {},
  examples: ["rmap init example", "rmap init example && rmap solve example/detections.csv -o example/tracks --open"],
  run({ folder = "." }) {
    const [detections, scenario] = [join(folder, FILES.detections), join(folder, FILES.scenario)];
    for (const file of [detections, scenario]) {
      if (existsSync(file)) refuse(file, "is there already", "name another folder: rmap init FOLDER");
    }
    const drawn = simulate({ ...EXAMPLE, noise: { position: 0.2, velocity: 0 } }, SEED);
    ensureFolder(folder);
    writeWhole(detections, formatDetections(drawn, [["source", "rmap init"]]));
    writeWhole(scenario, `${JSON.stringify(SCENARIO, null, 2)}\n`);
    const text = textOf([
      [
        `wrote`,
        `${detections}: ${drawn.x.length} detections in ${drawn.frames} frames; your own file has the same columns, of which target may be left out`,
      ],
      [`wrote`, `${scenario}: the same with all settings, to be changed`],
      [`next`, `rmap solve ${detections} -o ${join(folder, "tracks")} --open`],
    ]);
    return { text, json: { written: [detections, scenario] } };
  },
});
