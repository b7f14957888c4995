import { createRequire } from "node:module";
import { InputError } from "../core/errors.js";
import { decodeText } from "../files/encoding.js";
import { refuse, shown } from "../files/refusal.js";
import { branchesOf, edgesInTime, type TrackEdge } from "./branches.js";
import type { VelocityUse } from "./detection-columns.js";
import { type DetectionsFile, parseDetections, type ReadingSource } from "./detections.js";

/** One element of the file; attributes carry the prefix @. */
interface Element {
  readonly [name: string]: string | Element | readonly Element[] | undefined;
}

/**
 * The XML that TrackMate saves (J.-Y. Tinevez et al., "TrackMate: an open and extensible platform for single-particle tracking", Methods 115, 2017): its visible spots as
 * detections, and the tracks that pass its filters (<FilteredTracks>) as their targets, each branch of one that splits or merges being a target of its own.
 * @throws InputError for XML that is not TrackMate's, and for spots without position or frame
 */
export function parseTrackMate(
  file: string,
  bytes: Buffer,
  use: VelocityUse,
  { dt, zScale, columns, decimal, statedBy, isTracks }: ReadingSource,
): DetectionsFile {
  if (columns !== undefined || decimal !== undefined)
    refuse(columns === undefined ? "--decimal" : "--columns", `${file} is TrackMate's XML, no table`, "leave it out");
  // Loaded here, since it is a tenth of all that a solve would load, and few files are XML.
  const { XMLParser, XMLValidator }: typeof import("fast-xml-parser") = createRequire(import.meta.url)(
    "fast-xml-parser",
  );
  const text = Buffer.from(decodeText(file, bytes).bytes).toString("utf8");
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "@", parseAttributeValue: false });
  let parsed: Element;
  try {
    const valid = XMLValidator.validate(text);
    if (valid !== true) {
      const { line, msg } = valid.err;
      // Of tags that are never closed the validator lists all, on line 1.
      if (/^Invalid '\[/.test(msg))
        refuse(file, "ends before its tags are closed, as a file that was cut short does", "save it again");
      refuse(`${file}:${line}`, `is malformed XML (${shown(msg)})`, "save it again");
    }
    parsed = parser.parse(text);
  } catch (error) {
    if (error instanceof InputError) throw error;
    // The parser throws errors about the text: external entities, entities that grow too large, and tags that are never closed.
    refuse(file, `cannot be read as XML (${shown((error as Error).message)})`, "save it again");
  }
  const root = parsed.TrackMate as Element | undefined;
  const model = root?.Model as Element | undefined;
  if (model === undefined) {
    const name = Object.keys(parsed).find((one) => !one.startsWith("?"));
    const remedy = "save the tracks from TrackMate (Save), or make a table of it: frame,x,y";
    refuse(file, `is XML${name === undefined ? "" : ` of <${name}>`}, but not TrackMate's`, remedy);
  }
  const spots = listOf((model.AllSpots as Element | undefined)?.SpotsInFrame).flatMap((frame) => listOf(frame.Spot));
  const visible = spots.filter((spot) => spot["@VISIBILITY"] !== "0");
  if (visible.length === 0) refuse(file, "has no visible spots", "save a model with spots");
  const { targetOf, parents, notes: said } = targets(file, model, spots);
  const seen = new Set<string>();
  const isDeep = visible.some((spot) => Number(spot["@POSITION_Z"] ?? 0) !== 0);
  const rows = visible.map((spot) => {
    const id = String(spot["@ID"] ?? "without ID");
    const number = (name: string): number => {
      const text = spot[`@${name}`];
      if (text === undefined || text === "")
        refuse(file, `spot ${id} has no ${name}`, "save the file again with TrackMate");
      const value = Number(text);
      if (!Number.isFinite(value)) {
        refuse(`${file}, spot ${id}`, `${name} ${shown(text)} is no finite number`, "correct it, or hide the spot");
      }
      return value;
    };
    const [frame, x, y] = ["FRAME", "POSITION_X", "POSITION_Y"].map(number);
    if (!Number.isInteger(frame) || frame < 0) {
      refuse(`${file}, spot ${id}`, `FRAME ${frame} is no frame number`, "number the frames 0, 1, 2, …");
    }
    if (seen.size === seen.add(id).size) refuse(file, `has spot ${id} twice`, "save the file again with TrackMate");
    return `${frame},${x},${y}${isDeep ? `,${number("POSITION_Z")}` : ""},${targetOf.get(id) ?? -1}`;
  });
  const unit = String(model["@spatialunits"] ?? "");
  const interval = Number(
    ((root?.Settings as Element | undefined)?.ImageData as Element | undefined)?.["@timeinterval"],
  );
  const head = `# ${interval > 0 ? `dt=${interval} ` : ""}${unit === "" ? "" : `units=${unit.replace(/[\s,]/g, "_")}`}\n`;
  const names = ["frame", "x", "y", ...(isDeep ? ["z"] : []), "target"];
  const format = "the visible spots of TrackMate's XML";
  const source = { names, format, dt, zScale, statedBy, isTracks };
  const recording = parseDetections(file, Buffer.from(head + rows.join("\n")), use, source);
  const notes = [...recording.notes, ...said];
  if (targetOf.size > 0) return { ...recording, parents, notes };
  return { ...recording, detections: { ...recording.detections, target: null }, targetLabels: null, notes };
}

/** The branch of each spot that is in a track, and the mothers of branches. Edges go forward in time, whichever way they are written. */
function targets(file: string, model: Element, spots: readonly Element[]) {
  const frameOf = new Map(spots.map((spot) => [String(spot["@ID"]), Number(spot["@FRAME"])]));
  const nodes = new Map<string, number>();
  const nodeOf = (id: string): number => {
    if (!nodes.has(id)) nodes.set(id, nodes.size);
    return nodes.get(id) as number;
  };
  const edges: TrackEdge[] = [];
  const all = listOf((model.AllTracks as Element | undefined)?.Track);
  const filtered = model.FilteredTracks as Element | undefined;
  const passed = new Set(listOf(filtered?.TrackID).map((one) => one["@TRACK_ID"]));
  // TrackMate lists all before it filters any; other programs may leave the list out.
  const kept = filtered === undefined ? all : all.filter((track) => passed.has(track["@TRACK_ID"]));
  kept.forEach((track, n) => {
    for (const { "@SPOT_SOURCE_ID": source, "@SPOT_TARGET_ID": target } of listOf(track.Edge)) {
      if (source === undefined || target === undefined)
        refuse(file, `an edge of track ${track["@TRACK_ID"] ?? n} lacks an end`, "save the file again with TrackMate");
      const [before, after] = [source, target].map((id) => frameOf.get(String(id)));
      if (before === undefined || after === undefined || before === after) {
        const why = before === after && before !== undefined ? `both in frame ${before}` : "of which one is not there";
        refuse(file, `an edge joins spots ${source} and ${target}, ${why}`, "save the file again with TrackMate");
      }
      edges.push([nodeOf(String(source)), nodeOf(String(target))]);
    }
  });
  const frames = [...nodes.keys()].map((id) => frameOf.get(id) ?? Number.NaN);
  const { track, parent, notes: branches } = branchesOf(nodes.size, edgesInTime(edges, frames));
  const hidden = all.length - kept.length;
  const left = `${hidden} of ${all.length} tracks do not pass TrackMate's filters; their spots are on no track.`;
  const notes = [...branches, ...(hidden === 0 ? [] : [left])];
  return { targetOf: new Map([...nodes].map(([id, node]) => [id, track[node]])), parents: parent, notes };
}

function listOf(value: Element[string]): readonly Element[] {
  if (value === undefined || value === "") return [];
  return Array.isArray(value) ? value : [value as Element];
}
