import { refuse } from "../files/refusal.js";
import type { DetectionsFile } from "./detections.js";
import { readNapariGraph } from "./napari.js";
import { PARENT } from "./tracks.js";

/**
 * The mother that each target names, by the numbers that targets have here, −1 for one that is no target: as the format says, in a column parent, or in napari's graph beside a table.
 * @throws InputError for a target of two mothers
 */
export function mothersOf(
  path: string,
  { parents, carried, targetLabels, line, detections: { target } }: DetectionsFile,
): ReadonlyMap<number, number> {
  if (parents !== undefined) return parents;
  const numberOf = (label: string) => targetLabels?.indexOf(label) ?? Number(label);
  const column = carried?.find(({ name }) => name === PARENT);
  const named = new Map<number, string>();
  if (column === undefined)
    for (const [one, mother] of readNapariGraph(path)) named.set(numberOf(String(one)), String(mother));
  else
    target?.forEach((one, d) => {
      const mother = column.at(d);
      if (mother === "" || one < 0) return;
      const other = named.get(one) ?? mother;
      if (other !== mother)
        refuse(
          `${path}:${line[d]}, column ${PARENT}`,
          `${mother} is not ${other}, as in a row before`,
          "name one mother",
        );
      named.set(one, mother);
    });
  return new Map([...named].map(([one, mother]) => [one, numberOf(mother)]));
}

/** Mothers that are seen before their daughters, and a note of the others. A track that names itself has none: so btrack writes those that begin with no mother. */
export function seenMothers(
  frame: ArrayLike<number>,
  track: Int32Array,
  named: ReadonlyMap<number, number>,
): { readonly parent: ReadonlyMap<number, number>; readonly notes: string[] } {
  if (named.size === 0) return { parent: named, notes: [] };
  const first = new Map<number, number>();
  track.forEach((one, d) => {
    first.set(one, Math.min(frame[d], first.get(one) ?? Number.POSITIVE_INFINITY));
  });
  const others = [...named].filter(([one, mother]) => one !== mother && first.has(one));
  const seen = others.filter(([one, mother]) => Number(first.get(mother)) < Number(first.get(one)));
  const lost = others.length - seen.length;
  const said =
    lost === 1
      ? "1 track names a mother that is not seen before it, or several, and has none."
      : `${lost} tracks name mothers that are not seen before them, or several, and have none.`;
  return { parent: new Map(seen), notes: lost === 0 ? [] : [said] };
}
