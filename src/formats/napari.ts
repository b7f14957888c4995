import { existsSync } from "node:fs";
import { z } from "zod";
import { readJson } from "../files/json-file.js";
import { refuse, shown } from "../files/refusal.js";
import type { PlacedTracks } from "./tracks.js";

/**
 * The data of a napari Tracks layer as CSV: track_id,t,y,x, or track_id,t,z,y,x, t being the frame's number, sorted by track and then by time, as the layer wants them.
 * Read it with numpy.loadtxt(FILE, delimiter=",", skiprows=1). Detections in no track are left out.
 */
export function formatNapari({ frame, x, y, z, track }: PlacedTracks): string {
  const order = [...track.keys()].filter((d) => track[d] >= 0).sort((a, b) => track[a] - track[b] || a - b);
  const rows = order.map((d) => `${track[d]},${frame[d]},${z ? `${z[d]},` : ""}${y[d]},${x[d]}`);
  return [`track_id,t,${z ? "z," : ""}y,x`, ...rows, ""].join("\n");
}

/** Whether bytes are such a CSV: its t is no time, whatever it goes up by. */
export function isNapari(bytes: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?track_id,t,(?:z,)?y,x\s/.test(bytes.toString("latin1", 0, 64));
}

/** The file beside such a CSV that has the layer's graph. */
export const napariGraphFile = (file: string): string => `${file}.graph.json`;

/** The layer's graph as JSON: the mother of each daughter. Python makes it { int(k): v for k, v in json.load(…).items() }. */
export function formatNapariGraph({ parent }: Pick<PlacedTracks, "parent">): string {
  return `${JSON.stringify(Object.fromEntries([...parent].map(([daughter, mother]) => [daughter, [mother]])))}\n`;
}

const WANTED = "give { daughter: [mother] }, each by its track_id";
const graph = z.record(z.string(), z.union([z.int(), z.array(z.int())], { error: WANTED }), { error: WANTED });

/** The mothers of the graph beside a CSV, none where there is no such file. A track that is merged from several has none: −1. */
export function readNapariGraph(file: string): Map<number, number> {
  const path = napariGraphFile(file);
  if (!existsSync(path)) return new Map();
  const named = readJson(path, graph);
  const other = Object.keys(named).find((daughter) => !/^\d+$/.test(daughter));
  if (other !== undefined) refuse(path, `${shown(other)} is no track's number`, WANTED);
  return new Map(
    Object.entries(named).flatMap(([daughter, given]) => {
      const mothers = [given].flat();
      return mothers.length === 0 ? [] : [[Number(daughter), mothers.length === 1 ? mothers[0] : -1]];
    }),
  );
}
