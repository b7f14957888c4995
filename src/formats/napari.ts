import { frameOfDetections } from "../core/detections.js";

/**
 * The data of a napari Tracks layer as CSV: track_id,t,y,x, sorted by track and then by time, as the layer wants them.
 * Read it with numpy.loadtxt(FILE, delimiter=",", skiprows=1). Detections in no track are left out.
 */
export function formatNapari(
  { frameStart, x, y }: { readonly frameStart: Uint32Array; readonly x: Float64Array; readonly y: Float64Array },
  track: Int32Array,
): string {
  const frame = frameOfDetections(frameStart);
  const order = [...track.keys()].filter((d) => track[d] >= 0).sort((a, b) => track[a] - track[b] || a - b);
  return ["track_id,t,y,x", ...order.map((d) => `${track[d]},${frame[d]},${y[d]},${x[d]}`), ""].join("\n");
}
