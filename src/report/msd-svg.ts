import { path } from "./pen.js";
import { plotFrame } from "./plot-frame.js";
import { trackPalette } from "./track-colours.js";

/** Mean squared displacement over time, as a self-contained SVG. */
export function msdSvg(title: string, points: readonly { readonly time: number; readonly mean: number }[]): string {
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
  const extent = {
    x: [0, most(points.map(({ time }) => time))],
    y: [0, most(points.map(({ mean }) => mean))],
  } as const;
  const colour = trackPalette[0];
  const sample = `<path d="M-12 0h24" stroke="${colour}" stroke-width="2"/><circle r="3" fill="${colour}"/>`;
  const legend = [{ sample, text: "mean over all pairs of detections of a track" }];
  const frame = plotFrame(extent, false, { title, x: "time lag", y: "mean squared displacement", legend });
  const places = points.map(({ time, mean }) => `${frame.x(time)} ${frame.y(mean)}`);
  return frame.wrap([
    path(
      places.map((place, n) => `${n === 0 ? "M" : "L"}${place}`),
      `stroke="${colour}" stroke-width="18"`,
    ),
    path(
      places.map((place) => `M${place}h0`),
      `stroke="${colour}" stroke-width="60" stroke-linecap="round"`,
    ),
  ]);
}
