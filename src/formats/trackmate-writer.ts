import { group } from "d3-array";
import { distanceBetween } from "../core/detections.js";
import { rootOf } from "../core/union-find.js";
import { edgesOf } from "./branches.js";
import type { PlacedTracks } from "./tracks.js";

/**
 * Tracks as the XML that TrackMate opens (docs/reference/formats.md): a spot for each detection, also for those in no track, and an edge for each link. A mother and
 * her daughters are one track of TrackMate's, which splits.
 */
export function formatTrackMate(placed: PlacedTracks): string {
  const { frame, x, y, z, track } = placed;
  const length = distanceBetween(placed, placed);
  const spots = group(track.keys(), (d) => frame[d]);
  const inFrames = [...spots].map(([number, detections]) => {
    const lines = detections.map(
      (d) =>
        `<Spot ID="${d}" name="ID${d}" QUALITY="1" POSITION_X="${x[d]}" POSITION_Y="${y[d]}" POSITION_Z="${z?.[d] ?? 0}" POSITION_T="${number}" FRAME="${number}" RADIUS="1" VISIBILITY="1"/>\n`,
    );
    return `<SpotsInFrame frame="${number}">\n${lines.join("")}</SpotsInFrame>\n`;
  });
  const edges = edgesOf(placed);
  const root = Int32Array.from(track.keys());
  for (const [from, to] of edges) root[rootOf(root, to)] = rootOf(root, from);
  // The detection that a track of TrackMate's begins with gives it its number.
  const linked = [...group(edges, ([from]) => rootOf(root, from))].map(([first, some]) => ({
    number: track[first],
    some,
  }));
  const tracks = linked.map(({ number, some }) => {
    const lines = some.map(
      ([from, to]) =>
        `<Edge SPOT_SOURCE_ID="${from}" SPOT_TARGET_ID="${to}" LINK_COST="-1" DISPLACEMENT="${length(from, to)}"/>\n`,
    );
    return `<Track name="Track_${number}" TRACK_ID="${number}" NUMBER_SPOTS="${some.length + 1}">\n${lines.join("")}</Track>\n`;
  });
  const filtered = linked.map(({ number }) => `<TrackID TRACK_ID="${number}"/>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<TrackMate version="7.11.1">
<Model spatialunits="pixel" timeunits="frame">
<AllSpots nspots="${track.length}">
${inFrames.join("")}</AllSpots>
<AllTracks>
${tracks.join("")}</AllTracks>
<FilteredTracks>
${filtered.join("")}</FilteredTracks>
</Model>
<Settings><ImageData timeinterval="1" pixelwidth="1" pixelheight="1"/></Settings>
</TrackMate>
`;
}
