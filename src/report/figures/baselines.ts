import { BASELINE_METHODS, type BaselineMethod, type BaselineRow } from "../../rows/baselines.js";
import { METRIC_NAMES, METRICS, type MetricName } from "../../scores/metrics.js";
import { seriesMarks, symlogAxis } from "../chart-style.js";
import { type Chart, type Figure, type MissingFigure, numbered, type Table } from "../figure.js";
import { latestOfEach } from "../latest.js";
import { counted, formatSummary, type Summary, summarise } from "../numbers.js";

const about = { id: "baselines", title: "Faults: every score beside the baselines" };

/** Levels of a fault from which on a curve is drawn, the input without it included. */
const CURVE = 4;
/** In the table; the charts have every score. */
const TABLED = ["linkErrors", "idf1", "hota", "mota"] as const satisfies readonly MetricName[];

/** One way of tracking at one level of one fault. */
interface Point {
  readonly input: string;
  readonly fault: string;
  readonly level: number;
  readonly method: BaselineMethod;
  readonly rows: readonly BaselineRow[];
}

/** Curves of every score over every fault, a line a method, and link errors of recordings by method; rows of `rmap bench baselines`. */
export function baselinesFigure(rows: readonly BaselineRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of rmap bench baselines" };
  const points = pointsOf(rows);
  const inputs = [...new Set(points.map(({ input }) => input))];
  const curves = inputs.flatMap((input) => {
    const own = points.filter((point) => point.input === input);
    return [...new Set(own.map(({ fault }) => fault))].flatMap((fault) => {
      const along = own.filter((point) => point.fault === fault || point.fault === "none");
      const levels = new Set(along.map(({ level }) => level));
      if (fault === "none" || levels.size < CURVE) return [];
      return [{ caption: `${input}: every score over ${axisOf(fault)}`, chart: curve(along, fault) }];
    });
  });
  const drawn = new Set(curves.map(({ caption }) => caption.slice(0, caption.indexOf(": every"))));
  const others = points.filter(({ input }) => !drawn.has(input));
  const compared =
    others.length === 0 ? [] : [{ caption: "Link errors by method; a panel a fault", chart: dots(others) }];
  return {
    ...about,
    text: [
      "Each method tracks the same detections. Lines and dots are medians over seeds, bars the middle half. Gates of the simple methods are estimated from the detections, as docs/how-to/compare.md says.",
    ],
    charts: [...curves, ...compared],
    tables: [tableOf(points)],
  };
}

function pointsOf(rows: readonly BaselineRow[]): Point[] {
  const points = new Map<string, Omit<Point, "rows"> & { rows: BaselineRow[] }>();
  const latest = latestOfEach(
    rows,
    ({ input, method, velocities, fault, level, seed }) => [input, method, velocities, fault, level, seed],
    ({ date }) => date,
  );
  for (const row of latest) {
    const input = row.velocities === "none" ? row.input : `${row.input}, velocities`;
    const { fault, level, method } = row;
    const key = JSON.stringify([input, fault, level, method]);
    const point = points.get(key) ?? { input, fault, level, method, rows: [] };
    point.rows.push(row);
    points.set(key, point);
  }
  return [...points.values()];
}

function summaryOf({ rows }: Point, name: MetricName): Summary | null {
  return summarise(rows.flatMap(({ scores }) => scores?.[name] ?? []));
}

/** Tails are drawn by 1/ν, so that no fault stands at 0 as with the others. */
function axisOf(fault: string): string {
  return fault === "tails" ? "tails, 1/ν" : fault;
}

function curve(points: readonly Point[], fault: string): Chart {
  const scores = METRIC_NAMES.filter((name) => points.some((point) => summaryOf(point, name) !== null));
  const panelOf = (name: MetricName) => `${METRICS[name].label}${METRICS[name].unit && `, ${METRICS[name].unit}`}`;
  const values = points.flatMap((point) =>
    scores.flatMap((name) => {
      const summary = summaryOf(point, name);
      if (summary === null) return [];
      const { median, low, high } = summary;
      const at = fault === "tails" && point.level > 0 ? 1 / point.level : point.level;
      const says = `${point.method}, ${fault} ${point.level}: ${panelOf(name)} ${formatSummary(summary)}`;
      return [{ x: at, method: point.method, score: panelOf(name), median, low, high, says }];
    }),
  );
  const methods = BASELINE_METHODS.filter((method) => points.some((point) => point.method === method));
  const { color, shape } = seriesMarks("method", methods, "method");
  const y = (field: string) => ({ field, type: "quantitative", title: null, scale: { zero: false } }) as const;
  return {
    data: { values },
    facet: { field: "score", type: "nominal", title: null, sort: scores.map(panelOf) },
    columns: 4,
    resolve: { scale: { y: "independent" } },
    spec: {
      width: 190,
      height: 130,
      encoding: {
        x: { field: "x", type: "quantitative", title: axisOf(fault), axis: { tickCount: 4 } },
        color,
      },
      layer: [
        { mark: { type: "rule", opacity: 0.4 }, encoding: { y: y("low"), y2: { field: "high" } } },
        { mark: { type: "line", opacity: 0.8 }, encoding: { y: y("median") } },
        {
          mark: { type: "point", filled: true, opacity: 1, size: 30 },
          encoding: {
            y: y("median"),
            shape,
            description: { field: "says", type: "nominal" },
          },
        },
      ],
    },
  };
}

function labelOf({ fault, level }: Pick<Point, "fault" | "level">): string {
  return fault === "none" ? "as it is" : `${fault} ${level}`;
}

function dots(points: readonly Point[]): Chart {
  const methods = BASELINE_METHODS.filter((method) => points.some((point) => point.method === method));
  const values = points.flatMap((point) => {
    const summary = summaryOf(point, "linkErrors");
    if (summary === null) return [];
    const says = `${point.input}, ${labelOf(point)}, ${point.method}: link errors ${formatSummary(summary)} %`;
    return [{ input: point.input, fault: labelOf(point), method: point.method, errors: summary.median, says }];
  });
  const { color, shape } = seriesMarks("method", methods, "method");
  const faults = [...new Set(values.map(({ fault }) => fault))];
  return {
    data: { values },
    facet: { field: "fault", type: "nominal", title: null, sort: faults },
    columns: 3,
    spec: {
      width: 200,
      height: { step: 18 },
      mark: { type: "point", filled: true, opacity: 0.9, size: 50 },
      encoding: {
        x: {
          field: "errors",
          type: "quantitative",
          title: "link errors, %",
          ...symlogAxis(
            values.map(({ errors }) => errors),
            0.5,
          ),
        },
        y: { field: "input", type: "nominal", title: null, axis: { grid: true } },
        color,
        shape,
        description: { field: "says", type: "nominal" },
      },
    },
  };
}

function tableOf(points: readonly Point[]): Table {
  return {
    caption: `${counted(points.length, "point")}: median over seeds (first – third quartile)`,
    columns: [
      { title: "input" },
      { title: "fault" },
      { title: "method" },
      ...numbered("runs", ...TABLED.map((name) => `${METRICS[name].label}, %`)),
    ],
    rows: points.map((point) => [
      point.input,
      labelOf(point),
      point.method,
      String(point.rows.length),
      ...TABLED.map((name) => formatSummary(summaryOf(point, name))),
    ]),
  };
}
