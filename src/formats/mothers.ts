import type { DetectionsFile } from "./detections.js";
import { readNapariGraph } from "./napari.js";
import { PARENT } from "./tracks.js";

/** The mother of each target that begins where she divides, by the numbers that targets have here: as the format says, in a column parent, or in napari's graph beside a table. */
export function mothersOf(
  path: string,
  { parents, carried, targetLabels, detections: { target } }: DetectionsFile,
): ReadonlyMap<number, number> {
  if (parents !== undefined) return parents;
  const numberOf = (label: string) => targetLabels?.indexOf(label) ?? Number(label);
  const column = carried?.find(({ name }) => name === PARENT);
  const inRows = Array.from(target ?? [], (one, d) => [one, column?.at(d) ?? ""] as const);
  const graph = [...readNapariGraph(path)].map((pair) => pair.map((label) => numberOf(String(label))));
  const pairs = column === undefined ? graph : inRows.flatMap(([one, at]) => (at === "" ? [] : [[one, numberOf(at)]]));
  return new Map(pairs.filter(([one, mother]) => one >= 0 && mother >= 0) as [number, number][]);
}
