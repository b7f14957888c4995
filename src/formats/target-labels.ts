import type { TableRow } from "../files/csv-table.js";
import { shown } from "../files/refusal.js";

export interface TargetColumn {
  /** Identity of each row, −1 for a false detection; null where no row has one. */
  readonly target: Int32Array | null;
  /** Label of each identity where labels were numbered, else null. */
  readonly labels: readonly string[] | null;
  readonly notes: readonly string[];
}

const maxIdentity = 2 ** 31 - 1;
const remedy = "give an integer of 0 or more or a name, and leave it empty (or −1) for a false detection";

/**
 * Collects the target column. Integers from 0 to 2³¹ − 1 stay as they are (`3.0` is 3); as soon as one row holds another
 * label, all labels are numbered 0, 1, … in the order they first appear. Empty and −1 mean a false detection.
 */
export class TargetLabels {
  private readonly text: string[] = [];
  private integers = true;

  add(row: TableRow): void {
    const text = row.text("target").replace(/^([+-]?\d+)\.0*$/, "$1");
    if (/^[+-]?(nan|na|null|none|inf(inity)?)$/i.test(text))
      row.refuse("target", `${shown(text)} is no target`, remedy);
    if (/^-(?!1$)[\d.]+$/.test(text)) row.refuse("target", `${shown(text)} is negative`, remedy);
    if (/^\+?\d*\.\d+$/.test(text)) row.refuse("target", `${shown(text)} is not an integer`, remedy);
    if (!isFalseDetection(text) && !(/^\d+$/.test(text) && Number(text) <= maxIdentity)) this.integers = false;
    this.text.push(text);
  }

  finish(hasColumn: boolean): TargetColumn {
    if (!hasColumn) return { target: null, labels: null, notes: [] };
    if (this.text.every((text) => text === "")) {
      return { target: null, labels: null, notes: ["Column target is empty: true identities unknown."] };
    }
    if (this.integers) {
      const target = Int32Array.from(this.text, (text) => (isFalseDetection(text) ? -1 : Number(text)));
      return { target, labels: null, notes: [] };
    }
    const identity = new Map<string, number>();
    const target = Int32Array.from(this.text, (text) => {
      if (isFalseDetection(text)) return -1;
      const known = identity.get(text) ?? identity.size;
      identity.set(text, known);
      return known;
    });
    const labels = [...identity.keys()];
    return { target, labels, notes: [`Targets are not all integers: ${labels.length} labels numbered in order.`] };
  }
}

function isFalseDetection(text: string): boolean {
  return text === "" || text === "-1";
}
