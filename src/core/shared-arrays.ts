/** Typed arrays over shared memory: workers see them without a copy. */
export const sharedFloat64 = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length));
export const sharedUint32 = (length: number) => new Uint32Array(new SharedArrayBuffer(4 * length));
export const sharedInt32 = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));

export function sharedCopy(values: Float64Array): Float64Array {
  const copy = sharedFloat64(values.length);
  copy.set(values);
  return copy;
}

/** The numbers themselves where they are shared already, else a copy. */
export function shared(values: Float64Array): Float64Array {
  return values.buffer instanceof SharedArrayBuffer ? values : sharedCopy(values);
}

export function sharedUint32Of(values: ArrayLike<number>): Uint32Array {
  const copy = sharedUint32(values.length);
  copy.set(values);
  return copy;
}

export const sharedUint8 = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));
export const sharedUint16 = (length: number): Uint16Array => new Uint16Array(new SharedArrayBuffer(2 * length));
