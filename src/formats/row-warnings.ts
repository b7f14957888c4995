/** Begins each note which says that the answer may not be the one that is wanted. */
export const WARNING = "Warning: ";

/** Begins the note that says what was understood of a file; commands that print no notes print this one. */
export const READ = "Read as ";

/** Looks, while rows of detections are read, for features that are allowed and seldom meant. */
export class RowWarnings {
  #frame = -1;
  /** y and z of the detections of the frame, by their x. */
  readonly #places = new Map<number, number[]>();
  #repeated = 0;
  #first = "";

  /** The place of a row, 0 for a z that it has not; those of a frame come one after the other. */
  addPlace(frame: number, x: number, y: number, z: number, line: number): void {
    if (frame !== this.#frame) this.#places.clear();
    this.#frame = frame;
    const others = this.#places.get(x);
    if (others === undefined) this.#places.set(x, [y, z]);
    else if (!others.some((other, n) => n % 2 === 0 && other === y && others[n + 1] === z)) others.push(y, z);
    else if (this.#repeated++ === 0) this.#first = `line ${line} (${x}, ${y})`;
  }

  /** A sentence each. */
  notes(): string[] {
    if (this.#repeated === 0) return [];
    return [
      `${WARNING}rows that repeat the frame, x and y of another row: ${this.#repeated}, the first on ${this.#first}; each counts as a detection of its own. Leave them out unless two targets are in one place.`,
    ];
  }
}
