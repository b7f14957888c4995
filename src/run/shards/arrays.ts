/** Typed arrays of objects on their way between processes, which share no memory, and back into memory that threads share. */

type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array;

const isNumbers = (value: unknown): value is Numbers => ArrayBuffer.isView(value);

/** The value with each typed array in it replaced. */
function mapped<Value>(value: Value, replace: (numbers: Numbers) => Numbers): Value {
  if (isNumbers(value)) return replace(value) as Value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((one) => mapped(one, replace)) as Value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(one, replace)])) as Value;
}

/** Shared memory cannot be sent to another process. */
export function toSend<Value>(value: Value): Value {
  return mapped(value, (numbers) => (numbers.buffer instanceof SharedArrayBuffer ? numbers.slice() : numbers));
}

export function inSharedMemory<Value>(value: Value): Value {
  return mapped(value, (numbers) => {
    const Numbers = numbers.constructor as new (buffer: SharedArrayBuffer) => Numbers;
    const shared = new Numbers(new SharedArrayBuffer(numbers.byteLength));
    shared.set(numbers);
    return shared;
  });
}
