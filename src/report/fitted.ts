import { LETTERS } from "./chart-style.js";
import type { Chart } from "./figure.js";
import { textWidth } from "./text-width.js";

/** The size in print of a figure of its own. */
export interface FigureSize {
  /** Millimetres. */
  readonly width: number;
  /** Of the labels of axes, in points; smaller only where these leave no room for the plots. */
  readonly fontSize: number;
}

/** Millimetres of a point. */
const POINT = 25.4 / 72;

/** The width of a figure in a chart's own units, in which letters have one size. */
export function unitsOf({ width, fontSize }: FigureSize): number {
  return (width / (fontSize * POINT)) * LETTERS;
}

/** Shares of its own size that a plot may take. */
export const LEAST_SHARE = 0.3;
export const MOST_SHARE = 3;

/** Room of a legend's symbol and the gap behind its name. */
const SYMBOL = 34;

/** A chart whose plots have a share of their width and height, whose titles are broken into lines, and whose legends have as many columns as a total width takes. */
export function fitted(chart: Chart, share: number, total: number): Chart {
  const scaled = (length: unknown): unknown => (typeof length === "number" ? Math.round(share * length) : length);
  const part = (value: unknown, room: { readonly x: number; readonly y: number }): unknown => {
    if (Array.isArray(value)) return value.map((one) => part(one, room));
    if (typeof value !== "object" || value === null) return value;
    const { width, height } = value as { width?: unknown; height?: unknown };
    const inside = { x: roomOf(width, share) ?? room.x, y: roomOf(height, share) ?? room.y };
    return Object.fromEntries(
      Object.entries(value).map(([key, own]) => {
        if (key === "data") return [key, own];
        if (key === "width" || key === "height") return [key, scaled(own)];
        if (key === "x" || key === "y") return [key, withLines(own, inside[key])];
        if (key === "color" || key === "shape") return [key, withColumns(own, total)];
        return [key, part(own, inside)];
      }),
    );
  };
  return part(chart, { x: total, y: total }) as Chart;
}

function roomOf(length: unknown, share: number): number | undefined {
  return typeof length === "number" ? share * length : undefined;
}

/** An axis whose title is broken into lines that are no longer than it. */
function withLines(axis: unknown, room: number): unknown {
  const { title } = axis as { title?: unknown };
  if (typeof title !== "string") return axis;
  const lines: string[] = [];
  for (const word of title.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`;
    if (lines.length > 0 && textWidth(longer, LETTERS + 1) <= Math.max(room, 120)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return { ...(axis as object), title: lines };
}

function withColumns(encoding: unknown, total: number): unknown {
  const { scale, legend } = encoding as { scale?: { domain?: unknown }; legend?: { columns?: number } | null };
  if (!Array.isArray(scale?.domain) || legend === null) return encoding;
  const longest = scale.domain.reduce((most: number, name) => Math.max(most, textWidth(String(name), LETTERS)), 0);
  const columns = Math.max(1, Math.min(legend?.columns ?? 4, Math.floor(total / (longest + SYMBOL))));
  return { ...(encoding as object), legend: { ...legend, columns } };
}
