import type { BaselineRow } from "../rows/baselines.js";
import { BENCHMARKS, type BenchRow } from "../rows/bench.js";
import type { Measurement } from "../rows/measurement.js";
import type { ReportInputs } from "../rows/report-inputs.js";
import { isMeasurement, isRun, measurementsOf } from "../rows/report-rows.js";
import type { ResultFolder } from "../rows/result-folder.js";
import type { Placed, RunRow } from "../rows/results.js";
import { drawnRows } from "./drawn-rows.js";
import { factorsOf, labelOf, lastOfEach, varyingFactors } from "./factors.js";
import { type Figure, isDrawn, type MissingFigure } from "./figure.js";
import type { PdfWriter } from "./figure-pdf.js";
import { baselinesFigure } from "./figures/baselines.js";
import { type Convergence, convergenceFigure } from "./figures/convergence.js";
import { costsFigure } from "./figures/costs.js";
import { gapsFigure } from "./figures/gaps.js";
import { gatingFigure } from "./figures/gating.js";
import { measurementsFigure } from "./figures/measurements.js";
import { speedupFigure } from "./figures/speedups.js";
import { engineStepsFigure, stepsFigure } from "./figures/steps.js";
import { sweptFigure } from "./figures/swept.js";
import type { FigureSize } from "./fitted.js";
import { counted } from "./numbers.js";
import { withOneColour } from "./one-colour.js";
import { renderPage } from "./page.js";
import { provenanceTable } from "./provenance.js";
import { type Picture, renderFigure } from "./render-chart.js";
import { summaryOf } from "./summary.js";

export interface Report {
  readonly html: string;
  /** Titles of the figures that the rows fill. */
  readonly shown: readonly string[];
}

/** A figure of the measurements of some benchmarks. */
export interface BenchmarkFigure {
  readonly benchmarks: readonly string[];
  readonly draw: (rows: readonly Measurement[]) => Figure | MissingFigure;
}

/**
 * The page over all rows and folders: rows → tables and charts → HTML.
 * @param more figures of benchmarks that are not the program's own
 * @param progress called with the figures drawn, and their number
 */
export async function makeReport(
  inputs: ReportInputs,
  title: string,
  more: readonly BenchmarkFigure[] = [],
  progress?: (done: number, total: number) => void,
): Promise<Report> {
  const { rows, folders } = inputs;
  const { figures, runs, failed, repeats } = figuresOf(inputs, more);
  const page = {
    title,
    summary: summaryOf(
      runs.map(({ row }) => row),
      rows.length - rows.filter(isRun).length,
    ),
    figures,
    provenance: provenanceTable(rows),
    notes: [...notesOf(failed, repeats), ...folders.map(noteOfTracks)],
  };
  const html = await renderPage(page, progress);
  return { html, shown: figures.filter(isDrawn).map((figure) => figure.title) };
}

/** All figures that the rows may fill, with one colour for a name. */
function figuresOf(inputs: ReportInputs, more: readonly BenchmarkFigure[]) {
  const { rows } = inputs;
  const runRows = rows.filter(isRun);
  const measurements = rows.filter(isMeasurement).map(({ row }) => row);
  const failed = runRows.filter(({ row }) => row.status === "failed");
  const all = runRows.filter(({ row }) => row.status !== "failed").map(({ row }) => ({ row, factors: factorsOf(row) }));
  const runs = lastOfEach(all);
  const bench = measurementsOf<BenchRow>(rows, BENCHMARKS);
  const drawn = new Set([...BENCHMARKS, "baselines", ...more.flatMap(({ benchmarks }) => benchmarks)]);
  const figures = [
    stepsFigure(runs),
    engineStepsFigure(bench),
    gatingFigure(runs),
    costsFigure(runs),
    ...BENCHMARKS.map((name) => speedupFigure(name, bench)),
    convergenceFigure(convergences(inputs)),
    gapsFigure(runs),
    sweptFigure(runs),
    baselinesFigure(measurementsOf<BaselineRow>(rows, ["baselines"])),
    ...more.map(({ benchmarks, draw }) => draw(measurementsOf(rows, benchmarks))),
    measurementsFigure(measurements.filter(({ benchmark }) => !drawn.has(benchmark))),
  ];
  const coloured = withOneColour(figures.filter(isDrawn));
  return {
    figures: figures.map((figure) => coloured.find(({ id }) => id === figure.id) ?? figure),
    runs,
    failed,
    repeats: all.length - runs.length,
  };
}

/** A figure as files of its own. */
export interface FigureFiles extends Picture {
  /** Without an ending. */
  readonly name: string;
  readonly title: string;
  /** The rows that it draws, with a header. */
  readonly rows: readonly (readonly string[])[];
}

/** Every chart of the page as pictures for papers, with the rows that it draws. @param more as in makeReport */
export async function makeFigures(
  inputs: ReportInputs,
  size: FigureSize,
  writePdf: PdfWriter | null = null,
  more: readonly BenchmarkFigure[] = [],
): Promise<FigureFiles[]> {
  const files: FigureFiles[] = [];
  for (const { id, charts } of figuresOf(inputs, more).figures.filter(isDrawn)) {
    for (const [n, { caption, chart }] of charts.entries()) {
      const name = charts.length === 1 ? id : `${id}-${n + 1}`;
      const picture = await renderFigure(chart, caption, size, writePdf);
      files.push({ name, title: caption, ...picture, rows: drawnRows(chart) });
    }
  }
  return files;
}

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

const noteOfTracks = ({ folder }: ResultFolder) => `rmap page ${folder} shows the tracks of ${folder}.`;

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
