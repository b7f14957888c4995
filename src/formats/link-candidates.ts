/** candidates.csv of `rmap link`, and truth.csv: which of them are true links. */
import { join } from "node:path";
import { type NumberRule, readTable } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";

/** Columns of candidates.csv after frame, i and j. */
export const CANDIDATE_TERMS = [
  "constant",
  "d",
  "d2",
  "s",
  "s2",
  "turn",
  "lost",
  "r",
  "r3sq",
  "logr",
  "ratio",
  "back",
  "m",
  "m3sq",
  "logm",
] as const;

export interface LabelledCandidates {
  readonly terms: number[][];
  readonly isTrue: boolean[];
}

const index: NumberRule = { integer: true, min: 0, max: 2 ** 31 - 1, remedy: "number frames and detections from 0" };
const term: NumberRule = { below: 1e30, remedy: "write the folder again with rmap link" };
const key = (frame: number, i: number, j: number) => `${frame},${i},${j}`;

/** @param folder that `rmap link -o` wrote, with truth.csv (frame,i,j: place i of `frame` is place j of the next) added to it */
export function readLabelledCandidates(folder: string): LabelledCandidates {
  const read = (name: string, required: readonly string[], onRow: Parameters<typeof readTable>[3]) => {
    const file = join(folder, name);
    readTable(file, readBytes(file), { required, optional: [] }, onRow);
  };
  const truth = new Set<string>();
  read("truth.csv", ["frame", "i", "j"], (row) => {
    truth.add(key(row.number("frame", index), row.number("i", index), row.number("j", index)));
  });
  const labelled: LabelledCandidates = { terms: [], isTrue: [] };
  read("candidates.csv", ["frame", "i", "j", ...CANDIDATE_TERMS], (row) => {
    labelled.terms.push(CANDIDATE_TERMS.map((name) => row.number(name, term)));
    labelled.isTrue.push(truth.has(key(row.number("frame", index), row.number("i", index), row.number("j", index))));
  });
  if (labelled.terms.length === 0)
    refuse(join(folder, "candidates.csv"), "has no rows", "write it again with rmap link");
  return labelled;
}
