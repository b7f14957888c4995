import type { TableRow } from "../files/csv-table.js";

/** Begins each note which says that the answer may not be the one that is wanted. */
export const WARNING = "Warning: ";

/** Begins the note that says what was understood of a file; commands that print no notes print this one. */
export const READ = "Read as ";

/** Said of positions in space. */
export const DEPTH_NOT_USED = `${WARNING}positions are x and y alone: z is no part of them, so that detections that differ in z alone are in one place; turn the coordinates so that x and y tell targets apart.`;

/** Looks, while rows of detections are read, for features that are allowed and seldom meant. */
export class RowWarnings {
  #z: string | null = null;
  #deep = false;
  #frame = -1;
  /** y of the detections of the frame, by their x. */
  readonly #places = new Map<number, number[]>();
  #repeated = 0;
  #first = "";

  /** A row as it is read. */
  addRow(row: TableRow): void {
    if (this.#deep) return;
    const z = row.text("z");
    if (z === "") return;
    this.#z ??= z;
    this.#deep = z !== this.#z && Number(z) !== Number(this.#z);
  }

  /** Its place; those of a frame come one after the other. */
  addPlace(frame: number, x: number, y: number, line: number): void {
    if (frame !== this.#frame) this.#places.clear();
    this.#frame = frame;
    const others = this.#places.get(x);
    if (others === undefined) this.#places.set(x, [y]);
    else if (!others.includes(y)) others.push(y);
    else if (this.#repeated++ === 0) this.#first = `line ${line} (${x}, ${y})`;
  }

  /** A sentence each. */
  notes(): string[] {
    const notes = this.#deep ? [DEPTH_NOT_USED] : [];
    if (this.#repeated > 0) {
      notes.push(
        `${WARNING}rows that repeat the frame, x and y of another row: ${this.#repeated}, the first on ${this.#first}; each counts as a detection of its own. Leave them out unless two targets are in one place.`,
      );
    }
    return notes;
  }
}
