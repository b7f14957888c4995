import { group } from "d3-array";
import type { PlacedTracks } from "./tracks.js";

/**
 * Tracks as the XML that TrackMate opens (docs/reference/formats.md): a spot for each detection, also for those in no track, and an edge for each link. Every
 * track is one of TrackMate's; that of a daughter is not joined to her mother's.
 */
export function formatTrackMate({ frame, x, y, track }: PlacedTracks): string {
  const spots = group(track.keys(), (d) => frame[d]);
  const inFrames = [...spots].map(([number, detections]) => {
    const lines = detections.map(
      (d) =>
        `<Spot ID="${d}" name="ID${d}" QUALITY="1" POSITION_X="${x[d]}" POSITION_Y="${y[d]}" POSITION_Z="0" POSITION_T="${number}" FRAME="${number}" RADIUS="1" VISIBILITY="1"/>\n`,
    );
    return `<SpotsInFrame frame="${number}">\n${lines.join("")}</SpotsInFrame>\n`;
  });
  const detectionsOf = group(
    [...track.keys()].filter((d) => track[d] >= 0),
    (d) => track[d],
  );
  const linked = [...detectionsOf].filter(([, detections]) => detections.length > 1);
  const tracks = linked.map(([number, detections]) => {
    const edges = detections.slice(1).map((d, n) => {
      return `<Edge SPOT_SOURCE_ID="${detections[n]}" SPOT_TARGET_ID="${d}" LINK_COST="-1" DISPLACEMENT="${Math.hypot(x[d] - x[detections[n]], y[d] - y[detections[n]])}"/>\n`;
    });
    return `<Track name="Track_${number}" TRACK_ID="${number}" NUMBER_SPOTS="${detections.length}">\n${edges.join("")}</Track>\n`;
  });
  const filtered = linked.map(([number]) => `<TrackID TRACK_ID="${number}"/>\n`);
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
