import type { ClosedFrame } from "../track/stream.js";
import type { View } from "../track/tracker.js";

/** The positions of a frame without measurements. */
export const NONE = new Float64Array(0);

/** The measurements of a frame that the tracker sees, and the place of each row among them, −1 where hidden or repeated. */
export function visible({ rows, repeats }: ClosedFrame, view: View | "auto" | null) {
  const place = new Int32Array(rows.length).fill(-1);
  const [left, right, bottom, top] =
    view === null || view === "auto" ? [-Infinity, Infinity, -Infinity, Infinity] : view;
  let count = 0;
  rows.forEach(({ x, y }, n) => {
    if (!repeats[n] && x >= left && x <= right && y >= bottom && y <= top) place[n] = count++;
  });
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  rows.forEach((row, n) => {
    if (place[n] < 0) return;
    x[place[n]] = row.x;
    y[place[n]] = row.y;
  });
  return { x, y, place };
}
