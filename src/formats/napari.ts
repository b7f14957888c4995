import type { PlacedTracks } from "./tracks.js";

/**
 * The data of a napari Tracks layer as CSV: track_id,t,y,x, t being the frame's number, sorted by track and then by time, as the layer wants them.
 * Read it with numpy.loadtxt(FILE, delimiter=",", skiprows=1). Detections in no track are left out.
 */
export function formatNapari({ frame, x, y, track }: PlacedTracks): string {
  const order = [...track.keys()].filter((d) => track[d] >= 0).sort((a, b) => track[a] - track[b] || a - b);
  return ["track_id,t,y,x", ...order.map((d) => `${track[d]},${frame[d]},${y[d]},${x[d]}`), ""].join("\n");
}
