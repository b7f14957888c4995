import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { textWidth } from "./text-width.js";

/** Horizontal and vertical extent of the data, least and greatest. */
export interface Extent {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/** Whether positions are pixels: then y grows to the bottom, as in images. */
export function isOfImage(unit: string | null | undefined): boolean {
  return /^(px|pixels?)$/i.test(unit ?? "");
}

/** The extent of an image: pixels are squares around their positions. */
export function imageExtent(width: number, height: number): Extent {
  return { x: [-0.5, width - 0.5], y: [-0.5, height - 0.5] };
}

/** The extent of both. */
export function around(a: Extent, b: Extent): Extent {
  const union = (u: readonly [number, number], v: readonly [number, number]) =>
    [Math.min(u[0], v[0]), Math.max(u[1], v[1])] as const;
  return { x: union(a.x, b.x), y: union(a.y, b.y) };
}

/** Least and greatest of some values; 0 to 1 where there are none. */
export function rangeOf(values: Float64Array): readonly [number, number] {
  const [least, most] = extent(values);
  return least === undefined ? [0, 1] : [least, most];
}

export interface PlotLabels {
  /** The first line is the heading. */
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** SVG of a sample drawn in a box of 26 × 12 around (0, 0), and what it stands for. */
  readonly legend: readonly { readonly sample: string; readonly text: string }[];
  /** Drawn to the right of the title: a scale. */
  readonly corner?: { readonly svg: string; readonly width: number; readonly height: number };
}

/** Title, legend, grid and axes around a plot area. */
export interface PlotFrame {
  /** Tenths of a pixel from the left and from the top of the plot area, integers. */
  x(value: number): number;
  y(value: number): number;
  /** The whole SVG around marks drawn in those tenths. */
  wrap(marks: readonly string[]): string;
}

const width = 1000;
const margin = { left: 76, right: 24, bottom: 52 };
const plotWidth = width - margin.left - margin.right;
const heights = { least: 300, most: 760, free: 560 };
const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

/** Where the reader prefers dark pages: colours of what has these classes. Viewers without style sheets show the light ones. */
const DARK = `<style>@media (prefers-color-scheme: dark) {
.paper { fill: #16191d } .heading { fill: #f2f2f2 } .text { fill: #c9cdd2 } .grid { stroke: #2b3036 } .border { stroke: #5a6068 }
.hollow { fill: #16191d } .missed { stroke: #f2f2f2 } .loose { stroke: #6c727a; fill: #6c727a }
}</style>`;

/**
 * A frame whose axes show `extent` with a small margin; with `equal`, one unit is as long on both axes; with `downwards`, y grows to the
 * bottom, as in images.
 */
export function plotFrame(extent: Extent, equal: boolean, labels: PlotLabels, downwards = false): PlotFrame {
  const [x0, x1] = widened(extent.x);
  const [y0, y1] = widened(extent.y);
  const [dx, dy] = [x1 - x0, y1 - y0];
  const height = equal ? Math.min(heights.most, Math.max(heights.least, (plotWidth * dy) / dx)) : heights.free;
  const perPixel = Math.max(dx / plotWidth, dy / height);
  const [halfX, halfY] = equal ? [(perPixel * plotWidth) / 2, (perPixel * height) / 2] : [dx / 2, dy / 2];
  const [midX, midY] = [x0 + dx / 2, y0 + dy / 2];
  const x = scaleLinear([midX - halfX, midX + halfX], [0, 10 * plotWidth]);
  const y = scaleLinear([midY - halfY, midY + halfY], downwards ? [0, 10 * height] : [10 * height, 0]);

  const head = heading(labels);
  const top = head.height + 10;
  const total = top + height + margin.bottom;
  const opening = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total.toFixed()}" viewBox="0 0 ${width} ${total.toFixed()}" ${font}>`;
  const axes = grid(x, y, height, labels);
  return {
    x: (value) => Math.round(x(value)),
    y: (value) => Math.round(y(value)),
    wrap: (marks) =>
      [
        opening,
        `<title>${escaped(labels.title.replace(/\n/g, ": "))}</title>`,
        DARK,
        '<rect width="100%" height="100%" fill="#fff" class="paper"/>',
        head.svg,
        `<g transform="translate(${margin.left} ${top})">`,
        axes,
        `<g transform="scale(.1)" fill="none">`,
        ...marks,
        "</g>",
        "</g>",
        "</svg>",
        "",
      ].join("\n"),
  };
}

/** The frame of an image. */
export function imageFrame(
  width: number,
  height: number,
  labels: Partial<PlotLabels> & Pick<PlotLabels, "title" | "legend">,
): PlotFrame {
  return plotFrame(imageExtent(width, height), true, { x: "x (px)", y: "y (px)", ...labels }, true);
}

/** A little more on both sides, and something even where all values are the same. */
function widened([least, most]: readonly [number, number]): [number, number] {
  const room = most > least ? 0.03 * (most - least) : Math.max(1, 1e-9 * Math.abs(least));
  return [least - room, most + room];
}

type Scale = ReturnType<typeof scaleLinear<number>>;

function grid(x: Scale, y: Scale, height: number, labels: PlotLabels): string {
  const lines: string[] = [];
  const names: string[] = [];
  const formatX = x.tickFormat(9);
  for (const tick of x.ticks(9)) {
    const at = (x(tick) / 10).toFixed(1);
    lines.push(`M${at} 0V${height.toFixed(1)}`);
    names.push(`<text x="${at}" y="${(height + 18).toFixed(1)}" text-anchor="middle">${formatX(tick)}</text>`);
  }
  const count = Math.max(3, Math.round(height / 80));
  const formatY = y.tickFormat(count);
  for (const tick of y.ticks(count)) {
    const at = y(tick) / 10;
    lines.push(`M0 ${at.toFixed(1)}H${plotWidth}`);
    names.push(`<text x="-8" y="${(at + 4).toFixed(1)}" text-anchor="end">${formatY(tick)}</text>`);
  }
  const middle = `${(height / 2).toFixed()}`;
  return [
    `<path d="${lines.join("")}" stroke="#ebebeb" fill="none" class="grid"/>`,
    `<rect width="${plotWidth}" height="${height.toFixed(1)}" fill="none" stroke="#c4c4c4" class="border"/>`,
    `<g font-size="12" fill="#555" class="text">${names.join("")}`,
    `<text x="${plotWidth / 2}" y="${(height + 40).toFixed(1)}" text-anchor="middle" font-size="13">${escaped(labels.x)}</text>`,
    `<text transform="translate(-58 ${middle}) rotate(-90)" text-anchor="middle" font-size="13">${escaped(labels.y)}</text></g>`,
  ].join("\n");
}

/** Title lines, then the legend, broken into rows where it is wide. */
function heading({ title, legend, corner }: PlotLabels): { svg: string; height: number } {
  const parts: string[] = [];
  let bottom = 8;
  title.split("\n").forEach((line, n) => {
    bottom += n === 0 ? 24 : 20;
    const style =
      n === 0
        ? 'font-size="17" font-weight="600" fill="#1c1c1c" class="heading"'
        : 'font-size="13" fill="#444" class="text"';
    parts.push(`<text x="${margin.left}" y="${bottom - 2}" ${style}>${escaped(line)}</text>`);
  });
  let left: number = margin.left;
  if (legend.length > 0) bottom += 22;
  for (const { sample, text } of legend) {
    const needed = 34 + textWidth(text, 12.5) + 18;
    if (left > margin.left && left + needed > width) {
      left = margin.left;
      bottom += 20;
    }
    parts.push(`<g transform="translate(${left + 13} ${bottom - 4})">${sample}</g>`);
    parts.push(
      `<text x="${left + 34}" y="${bottom}" font-size="12.5" fill="#333" class="text">${escaped(text)}</text>`,
    );
    left += Math.round(needed);
  }
  if (corner) {
    parts.push(`<g transform="translate(${width - margin.right - corner.width} 8)">${corner.svg}</g>`);
    bottom = Math.max(bottom, corner.height + 8);
  }
  return { svg: parts.join("\n"), height: bottom };
}

function escaped(text: string): string {
  return text
    .replace(/[^\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}
