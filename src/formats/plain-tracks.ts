import type { PlacedTracks } from "./tracks.js";

/** A table that any program reads: frame,track,x,y, z in space, and parent where tracks have one, by frame. Detections in no track are left out. */
export function formatPlain({ frame, x, y, z, track, parent }: PlacedTracks): string {
  const more = parent.size > 0;
  const rows = [...track.keys()]
    .filter((d) => track[d] >= 0)
    .map(
      (d) =>
        `${frame[d]},${track[d]},${x[d]},${y[d]}${z ? `,${z[d]}` : ""}${more ? `,${parent.get(track[d]) ?? ""}` : ""}\n`,
    );
  return `frame,track,x,y${z ? ",z" : ""}${more ? ",parent" : ""}\n${rows.join("")}`;
}
