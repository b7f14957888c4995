import { picked } from "../core/growing-array.js";
import { isMissing, type TableRow } from "../files/csv-table.js";
import { shown } from "../files/refusal.js";
import { TextColumn } from "./attribute-columns.js";

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
  private readonly cells = new TextColumn();
  private integers = true;

  add(row: TableRow): void {
    const text = row.text("target").replace(/^([+-]?\d+)\.0*$/, "$1");
    if (/^[+-]?inf(inity)?$/i.test(text)) row.refuse("target", `${shown(text)} is no target`, remedy);
    if (/^-(?!1$)[\d.]+$/.test(text)) row.refuse("target", `${shown(text)} is negative`, remedy);
    if (/^\+?\d*\.\d+$/.test(text)) row.refuse("target", `${shown(text)} is not an integer`, remedy);
    if (!isFalseDetection(text) && !(/^\d+$/.test(text) && Number(text) <= maxIdentity)) this.integers = false;
    this.cells.push(text);
  }

  finish(hasColumn: boolean): TargetColumn {
    if (!hasColumn) return { target: null, labels: null, notes: [] };
    const { texts, numbers } = this.cells;
    if (texts.every(isMissing)) {
      return { target: null, labels: null, notes: ["Column target is empty: true identities unknown."] };
    }
    const named = texts.filter((text) => !isFalseDetection(text));
    const identityOf = this.integers
      ? texts.map((text) => (isFalseDetection(text) ? -1 : Number(text)))
      : numbered(texts);
    const target = picked(Int32Array.from(identityOf), numbers);
    if (this.integers) return { target, labels: null, notes: [] };
    return {
      target,
      labels: named,
      notes: [
        `Targets are not all integers: ${named.length} ${named.length === 1 ? "label" : "labels"} numbered in order.`,
      ],
    };
  }
}

/** 0, 1, … for the labels in order, −1 for those of false detections. */
function numbered(texts: readonly string[]): number[] {
  let next = 0;
  return texts.map((text) => (isFalseDetection(text) ? -1 : next++));
}

export function isFalseDetection(text: string): boolean {
  return text === "-1" || isMissing(text);
}
