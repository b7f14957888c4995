type Numbers = Float64Array | Int32Array | Uint32Array;

/**
 * Numbers whose count is not known in advance, in a typed array that doubles when it is full: they lie outside the heap, at their
 * own size, where a list of millions would exhaust it.
 */
export class GrowingArray<Of extends Numbers> {
  #values: Of;
  #length = 0;

  constructor(make: new (length: number) => Of) {
    this.#values = new make(64);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#values = longer(this.#values, 2 * this.#length);
    this.#values[this.#length++] = value;
  }

  /** All numbers so far, without a copy: valid until the next push. */
  get values(): Of {
    return this.#values.subarray(0, this.#length) as Of;
  }
}

/** The array with room for more numbers, 0 at first. */
export function longer<Of extends Numbers | Uint8Array>(array: Of, length: number): Of {
  const grown = new (array.constructor as new (length: number) => Of)(length);
  grown.set(array);
  return grown;
}

/** The array with a value at each place. (A typed array's own `from` makes a list of all values first, on the heap.) */
export function filled<Of extends Numbers | Uint8Array>(array: Of, valueAt: (n: number) => number): Of {
  for (let n = 0; n < array.length; n++) array[n] = valueAt(n);
  return array;
}

/** The places that are marked with 1, increasing. */
export function marked(marks: ArrayLike<number>): Uint32Array {
  let count = 0;
  for (let k = 0; k < marks.length; k++) if (marks[k] === 1) count++;
  const places = new Uint32Array(count);
  for (let k = 0, n = 0; n < count; k++) if (marks[k] === 1) places[n++] = k;
  return places;
}

/** The numbers at these places, in their order. */
export function picked<Of extends Numbers | Uint8Array>(values: Of, places: Uint32Array): Of {
  const out = new (values.constructor as new (length: number) => Of)(places.length);
  for (let k = 0; k < places.length; k++) out[k] = values[places[k]];
  return out;
}
