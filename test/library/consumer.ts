// Compiled by .ci/run as a user of the package would, with skipLibCheck: false: every entry of package.json resolves, and its types hold.
import { certifyLap, METRICS, solve } from "rmap";
import { InputError } from "rmap/core";
import { priceDetections } from "rmap/costs";
import { readDetections } from "rmap/formats";
import { solveJv } from "rmap/lap";
import { buildGraph } from "rmap/map";
import { toGrey } from "rmap/pixels";
import { tracksSvg } from "rmap/report";
import { runProblem } from "rmap/run";
import { compareLabels } from "rmap/scores";
import { simulate } from "rmap/simulation";

console.log(
  [
    solve,
    certifyLap,
    METRICS,
    solveJv,
    buildGraph,
    compareLabels,
    simulate,
    priceDetections,
    readDetections,
    tracksSvg,
    runProblem,
    InputError,
    toGrey,
  ].length,
);
