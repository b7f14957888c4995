import type { RowKind } from "../rows/kind.js";
import { auctionKind } from "../rows/kinds/auction.js";
import { baselinesKind } from "../rows/kinds/baselines.js";
import { benchKinds } from "../rows/kinds/bench.js";
import { featuresKind } from "../rows/kinds/features.js";
import { featuresThesisKind } from "../rows/kinds/features-thesis.js";
import { flowSpeedKind } from "../rows/kinds/flow-speed.js";
import { lapCpuKind } from "../rows/kinds/lap-cpu.js";
import { marginsKind } from "../rows/kinds/margins.js";
import { type RunRow, runKind } from "../rows/kinds/run.js";
import { tbdVariantsKind } from "../rows/kinds/tbd.js";
import type { AnyKind } from "../rows/kinds.js";
import type { ReportInputs } from "../rows/report-inputs.js";
import { type Placed, rowsOf } from "../rows/report-rows.js";
import type { ResultFolder } from "../rows/result-folder.js";
import { factorsOf, labelOf, varyingFactors } from "./factors.js";
import { isDrawn } from "./figure.js";
import { auctionsFigure } from "./figures/auctions.js";
import { baselinesFigure } from "./figures/baselines.js";
import { type Convergence, convergenceFigure } from "./figures/convergence.js";
import { costsFigure } from "./figures/costs.js";
import { engineStepsFigure } from "./figures/engine-steps.js";
import { featuresFigure } from "./figures/features.js";
import { featuresThesisFigure } from "./figures/features-thesis.js";
import { flowSpeedsFigure } from "./figures/flow-speeds.js";
import { gapsFigure } from "./figures/gaps.js";
import { gatingFigure } from "./figures/gating.js";
import { marginsFigure } from "./figures/margins.js";
import { measurementsFigure } from "./figures/measurements.js";
import { lapCpuFigure, speedupFigure } from "./figures/speedups.js";
import { stepsFigure } from "./figures/steps.js";
import { tbdVariantsFigure } from "./figures/tbd-variants.js";
import { lastOfEach } from "./lines.js";
import { counted } from "./numbers.js";
import { type Page, renderPage } from "./page.js";
import { provenanceTable } from "./provenance.js";
import { summaryOf } from "./summary.js";
import { MOST_DETECTIONS, tracksView } from "./tracks-view.js";

export interface Report {
  readonly html: string;
  /** Titles of the figures that the rows fill, and of the views of tracks. */
  readonly shown: readonly string[];
}

/** The page over all rows and folders: rows → tables and charts → HTML. */
export async function makeReport(inputs: ReportInputs, title: string): Promise<Report> {
  const { rows, folders } = inputs;
  /** Kinds that a figure has asked for. */
  const drawn = new Set<AnyKind>();
  const toDraw = <Row>(...kinds: readonly RowKind<Row>[]) => {
    for (const kind of kinds) drawn.add(kind);
    return rowsOf(rows, ...kinds);
  };
  const of = <Row>(...kinds: readonly RowKind<Row>[]) => toDraw(...kinds).map(({ row }) => row);
  const runRows = toDraw(runKind);
  const failed = runRows.filter(({ row }) => row.status === "failed");
  const all = runRows.filter(({ row }) => row.status !== "failed").map(({ row }) => ({ row, factors: factorsOf(row) }));
  const runs = lastOfEach(all);
  const bench = of(...benchKinds);
  const lapCpu = of(lapCpuKind);
  const figures = [
    stepsFigure(runs),
    engineStepsFigure(bench),
    gatingFigure(runs),
    costsFigure(runs),
    speedupFigure("lap", bench),
    speedupFigure("distribution", bench),
    speedupFigure("solve", bench),
    lapCpuFigure(lapCpu),
    convergenceFigure(convergences(inputs)),
    gapsFigure(runs),
    featuresFigure(of(featuresKind)),
    featuresThesisFigure(of(featuresThesisKind)),
    baselinesFigure(of(baselinesKind)),
    auctionsFigure(of(auctionKind)),
    flowSpeedsFigure(of(flowSpeedKind)),
    tbdVariantsFigure(of(tbdVariantsKind)),
    marginsFigure(of(marginsKind)),
    // The last: kinds that no figure above asked for.
    measurementsFigure(rows.filter(({ kind }) => !drawn.has(kind))),
  ];
  const tracks = tracksOf(folders);
  const html = await renderPage({
    title,
    summary: summaryOf(
      runs.map(({ row }) => row),
      rows.length - runRows.length,
    ),
    figures: tracks.views.length > 0 ? figures : [...figures, noTracks],
    tracks,
    provenance: provenanceTable(rows),
    notes: notesOf(failed, all.length - runs.length),
  });
  const shown = [
    ...figures.filter(isDrawn).map((figure) => figure.title),
    ...(tracks.views.length > 0 ? ["The tracks"] : []),
  ];
  return { html, shown };
}

const noTracks = {
  id: "tracks",
  title: "The tracks, frame by frame",
  needs: "folders that rmap solve -o wrote, named beside the rows",
};

function convergences({ folders, histories }: ReportInputs): Convergence[] {
  const known = folders.map((folder) => ({ folder, factors: factorsOf(folder.row) }));
  const named = known.flatMap(({ folder, factors }) => {
    if (folder.history === null) return [];
    const problem = problemOf(folder);
    const same = known.filter((other) => problemOf(other.folder) === problem);
    const varying = varyingFactors(
      same.map((other) => other.factors),
      ["ascent"],
    );
    return [{ problem, label: labelOf(factors, ["ascent", ...varying]), history: folder.history }];
  });
  return [...named, ...histories.map(({ file, history }) => ({ problem: file, label: "history", history }))];
}

/** The name, with the seed and the costs, which make another problem of the same scenario. */
function problemOf({ row }: ResultFolder): string {
  const { cost, ε } = factorsOf(row);
  const size = `${row.frames} frames, ${row.detections} detections`;
  return [row.name, size, cost, ε === "–" ? "" : `ε ${ε}`, row.seed === null ? "" : `seed ${row.seed}`]
    .filter(Boolean)
    .join(", ");
}

function tracksOf(folders: readonly ResultFolder[]): Page["tracks"] {
  const views: { title: string; html: string }[] = [];
  const notes: string[] = [];
  let room = MOST_DETECTIONS;
  for (const { folder, row, tracks } of folders) {
    if (tracks === null) {
      notes.push(`${folder} has no tracks.`);
    } else if (row.detections > room) {
      notes.push(`${folder} is left out: ${counted(row.detections, "detection")} would make the page too large.`);
    } else {
      room -= row.detections;
      const title = `${row.name}, ${factorsOf(row).cost}, ${row.ascent}`;
      views.push({ title, html: tracksView({ title, tracks }, `tracks-${views.length + 1}`) });
    }
  }
  return { views, notes };
}

function notesOf(failed: readonly Placed<RunRow>[], repeats: number): string[] {
  const notes: string[] = [];
  const [first] = failed;
  if (first) {
    const why = first.row.error ?? "no reason given";
    notes.push(
      `${counted(failed.length, "run")} failed and ${failed.length === 1 ? "is" : "are"} in no figure; the first: ${why} (${first.file}:${first.line})`,
    );
  }
  if (repeats > 0)
    notes.push(`${counted(repeats, "run")} made again with the same settings and seed: figures take the last of each.`);
  return notes;
}
