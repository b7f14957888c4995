/** The figures that the lab adds to a report, and the schemas of their rows. */
import type { BenchmarkFigure } from "../../dist/report/report.js";
import { SCHEMAS, type Schemas } from "../../dist/rows/report-rows.js";
import { auctionRow } from "../rows/auction.js";
import { featuresRow } from "../rows/features.js";
import { featuresThesisRow } from "../rows/features-thesis.js";
import { flowSpeedRow } from "../rows/flow-speed.js";
import { lapCpuRow } from "../rows/lap-cpu.js";
import { marginsRow } from "../rows/margins.js";
import { scaleRow } from "../rows/scale.js";
import { tbdSpeedRow, tbdSweepRow } from "../rows/tbd.js";
import { auctionsFigure } from "./auctions.js";
import { featuresFigure } from "./features.js";
import { featuresThesisFigure } from "./features-thesis.js";
import { flowSpeedsFigure } from "./flow-speeds.js";
import { marginsFigure } from "./margins.js";
import { scaleFigure } from "./scale.js";
import { lapCpuFigure } from "./scipy.js";
import { tbdSweepFigure } from "./tbd-sweep.js";

/** A figure of the rows that the schema of its benchmark reads. */
function figure<Row>(
  benchmark: string,
  draw: (rows: readonly Row[]) => ReturnType<BenchmarkFigure["draw"]>,
): BenchmarkFigure {
  return { benchmarks: [benchmark], draw: (rows) => draw(rows as readonly unknown[] as readonly Row[]) };
}

export const LAB_SCHEMAS: Schemas = {
  ...SCHEMAS,
  auction: auctionRow,
  features: featuresRow,
  "features-thesis": featuresThesisRow,
  "flow-speed": flowSpeedRow,
  "lap-cpu": lapCpuRow,
  margins: marginsRow,
  scale: scaleRow,
  "tbd-speed": tbdSpeedRow,
  "tbd-sweep": tbdSweepRow,
  "tbd-variants": tbdSpeedRow,
};

export const LAB_FIGURES: readonly BenchmarkFigure[] = [
  figure("lap-cpu", lapCpuFigure),
  figure("features", featuresFigure),
  figure("features-thesis", featuresThesisFigure),
  figure("auction", auctionsFigure),
  figure("flow-speed", flowSpeedsFigure),
  figure("tbd-sweep", tbdSweepFigure),
  figure("margins", marginsFigure),
  figure("scale", scaleFigure),
];
