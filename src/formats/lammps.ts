import { decodeText } from "../files/encoding.js";
import { refuse, shown } from "../files/refusal.js";
import type { VelocityUse } from "./detection-columns.js";
import { type DetectionsFile, parseDetections, type ReadingSource } from "./detections.js";

/** The positions that a dump may have, the best first: not wrapped into the box, and not scaled to it. */
const POSITIONS = ["u", "", "su", "s"] as const;

/** The lines that LAMMPS writes below an ITEM other than ATOMS. */
type Item = "TIMESTEP" | "BOX BOUNDS" | "ATOMS" | null;

/**
 * Reads the text that LAMMPS dumps (docs.lammps.org/dump.html), as `dump custom` and `dump atom` write it: for each time step its number, the bounds of the box and a
 * line for each atom, whose `id` is its target. Positions that are scaled to the box become lengths again.
 * @throws InputError naming the line, and for scaled positions in a box that is not at right angles
 */
export function parseLammps(
  file: string,
  bytes: Buffer,
  use: VelocityUse,
  { columns, dt, zScale, statedBy, isTracks }: ReadingSource,
): DetectionsFile {
  const lines = Buffer.from(decodeText(file, bytes).bytes).toString("utf8").split(/\r?\n/);
  let item: Item = null;
  let frame = "";
  let header: readonly string[] = [];
  let bounds: number[][] = [];
  let isTilted = false;
  let isPeriodic = false;
  // A row stands on the line that it was on, so that messages name this one.
  const rows = lines.map((line, n) => {
    const words = line.trim().split(/\s+/);
    const place = `${file}:${n + 1}`;
    if (words[0] === "ITEM:") {
      const [, name] = /^ITEM: (TIMESTEP|BOX BOUNDS|ATOMS)/.exec(line.trim()) ?? [];
      item = (name as Item | undefined) ?? null;
      if (item === "BOX BOUNDS") {
        bounds = [];
        isTilted = words.includes("xy");
        isPeriodic ||= words.slice(-3, -1).some((end) => end.startsWith("p"));
      }
      if (item === "ATOMS") header = headerOf(place, words.slice(2), header);
      return "";
    }
    if (line.trim() === "" || item === null) return "";
    if (item === "TIMESTEP") frame = words[0];
    else if (item === "BOX BOUNDS") bounds.push(words.map(Number));
    else return atom(words, place);
    return "";
  });

  function atom(words: readonly string[], place: string): string {
    if (words.length !== header.length)
      refuse(place, `has ${words.length} fields where the ITEM has ${header.length}`, "the file may be cut short");
    const cells = words.map((word, at) => {
      const axis = /^([xyz])su?$/.exec(header[at])?.[1];
      if (axis === undefined) return word;
      if (isTilted) refuse(place, "is scaled to a box with tilted sides", "dump x and y, or xu and yu");
      const [low, high] = bounds["xyz".indexOf(axis)] ?? [];
      return String(low + Number(word) * (high - low));
    });
    return [frame, ...cells].join(",");
  }

  if (header.length === 0) refuse(file, "has no ITEM: ATOMS", "the file may be cut short");
  const kind = POSITIONS.find((one) => header.includes(`x${one}`) && header.includes(`y${one}`));
  const named = (name: string) =>
    name === "id" ? "target" : name === `x${kind}` ? "x" : name === `y${kind}` ? "y" : name === `z${kind}` ? "z" : name;
  // Other positions may have the name of the chosen ones.
  const taken = kind === "" ? [] : ["x", "y", "z"].filter((axis) => header.includes(axis));
  const names = ["frame", ...header.map((name) => (taken.includes(name) ? `${name}_wrapped` : named(name)))];
  const source = { names, format: "a LAMMPS dump", columns, dt, zScale, statedBy, isTracks };
  const recording = parseDetections(file, Buffer.from(rows.join("\n")), use, source);
  if (!isPeriodic || kind === undefined || kind.includes("u")) return recording;
  const note =
    "The box is periodic, so that an atom that leaves it comes back on the other side: dump xu and yu for its true path.";
  return { ...recording, notes: [...recording.notes, note] };
}

/** The names of the atoms' columns, which are the same in all time steps. */
function headerOf(place: string, names: readonly string[], before: readonly string[]): readonly string[] {
  if (before.length > 0 && before.join(" ") !== names.join(" "))
    refuse(
      place,
      `has the columns ${shown(names.join(" "))} after ${shown(before.join(" "))}`,
      "dump the same columns in each time step",
    );
  return names;
}
