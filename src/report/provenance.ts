import { group } from "d3-array";
import type { Measurement } from "../rows/measurement.js";
import { isMeasurement, isRun } from "../rows/report-rows.js";
import type { Placed, RunRow } from "../rows/results.js";
import type { Table } from "./figure.js";

interface Made {
  readonly what: string;
  readonly device: string;
  readonly machine: string;
  readonly rmap: string;
  readonly node: string;
  readonly day: string;
}

/** Device and version of every row; rows of one file that agree in them share a line, which names their line numbers. */
export function provenanceTable(rows: readonly Placed<RunRow | Measurement>[]): Table {
  const origins: Placed<Made>[] = [
    ...rows.filter(isRun).map((placed) => ({ ...placed, row: ofRun(placed.row) })),
    ...rows.filter(isMeasurement).map((placed) => ({ ...placed, row: ofMeasurement(placed.row) })),
  ];
  const groups = [...group(origins, ({ file, row }) => JSON.stringify([file, row])).values()];
  return {
    caption: "Device and version of every row",
    columns: [
      { title: "file" },
      { title: "lines" },
      { title: "rows", number: true },
      ...["what", "device", "machine", "rmap", "Node", "date"].map((title) => ({ title })),
    ],
    rows: groups.map((own) => {
      const [{ file, row }] = own;
      const { what, device, machine, rmap, node } = row;
      // Kept in one line.
      const day = row.day.replaceAll("-", "\u2011");
      return [file, ranges(own.map(({ line }) => line)), String(own.length), what, device, machine, rmap, node, day];
    }),
  };
}

function ofMeasurement(row: Measurement): Made {
  const { benchmark, device, cpu, cores, platform, version, revision, node, date } = row;
  return {
    what: `bench ${benchmark}`,
    device: (typeof device === "object" ? device.actual : device) ?? "–",
    machine: machineOf(cpu, cores, platform),
    rmap: versionOf(version, revision),
    node: node ?? "–",
    day: date?.slice(0, 10) ?? "–",
  };
}

function ofRun(row: RunRow): Made {
  return {
    what: `solve, ${row.ascent}`,
    device: `${row.device.actual}, ${row.precision}, ${row.threads} threads`,
    machine: machineOf(row.cpu, row.cores, row.platform),
    rmap: versionOf(row.version, row.revision),
    node: row.node,
    day: row.date.slice(0, 10),
  };
}

function machineOf(cpu?: string, cores?: number, platform?: string): string {
  return [cpu, cores === undefined ? undefined : `${cores} cores`, platform].filter(Boolean).join(", ") || "–";
}

/** A revision with `+` had uncommitted changes. */
function versionOf(version?: string, revision?: string | null): string {
  const short = revision ? `${revision.slice(0, 8)}${revision.endsWith("+") ? "+" : ""}` : "";
  return [version, short].filter(Boolean).join(" ") || "–";
}

const mostRanges = 6;

/** "1–4, 7": ascending lines, neighbours together; a long list ends in an ellipsis. */
function ranges(lines: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    if (last && last[1] + 1 === line) last[1] = line;
    else parts.push([line, line]);
  }
  const shown = parts.slice(0, mostRanges).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return `${shown.join(", ")}${parts.length > mostRanges ? ` … ${parts.at(-1)?.[1]}` : ""}`;
}
