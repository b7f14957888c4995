/** Makes, fills and reads buffers, and splits them where one binding cannot hold an array. */
import { DeviceMemoryError } from "./device-error.js";
import type { GpuSession } from "./session.js";

type Numbers = Float32Array | Uint32Array | Int32Array;

const BYTES_PER_NUMBER = 4;
const LEAST_STAGING = 65536;

/** A storage buffer of `length` 4-byte numbers, zeroed; at least one number long, so that it can always be bound. @param besides further usage */
export function createStorage(session: GpuSession, label: string, length: number, besides = 0): GPUBuffer {
  const size = Math.max(length, 1) * BYTES_PER_NUMBER;
  const most = session.device.limits.maxStorageBufferBindingSize;
  if (size > most) {
    throw new DeviceMemoryError(`${label} needs ${size} bytes, but ${session.description.name} binds at most ${most}`);
  }
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC | besides;
  return session.device.createBuffer({ label, size, usage });
}

/** A storage buffer with the content of `data`. */
export function uploadStorage(session: GpuSession, label: string, data: Numbers): GPUBuffer {
  const buffer = createStorage(session, label, data.length);
  writeStorage(session, buffer, data);
  return buffer;
}

/** A uniform buffer with these words, as StructLayout.pack makes them. */
export function uploadUniform(session: GpuSession, label: string, words: Uint32Array<ArrayBuffer>): GPUBuffer {
  const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const buffer = session.device.createBuffer({ label, size: words.byteLength, usage });
  session.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** Writes `data` from the `first` number of the buffer on. */
export function writeStorage(session: GpuSession, buffer: GPUBuffer, data: Numbers, first = 0): void {
  const at = first * BYTES_PER_NUMBER;
  session.device.queue.writeBuffer(buffer, at, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
}

/** The first bytes of a buffer, a multiple of four. */
interface Beginning {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

/**
 * Reads the content of each buffer in one copy, as bytes that the caller views as it needs. The staging buffer is kept with the
 * session for the next reading of the same size. There is no error scope, since this is the one wait of an iteration.
 * @param encoder commands that come before the copy, in the same submission
 */
export async function readStorage(
  session: GpuSession,
  buffers: readonly GPUBuffer[],
  encoder?: GPUCommandEncoder,
): Promise<ArrayBuffer[]> {
  return await decodeStorage(session, buffers, copied, encoder);
}

/** The same; `decode` makes the result of the buffers' words, which lie in mapped memory and are gone when it returns. */
export async function decodeStorage<Result>(
  session: GpuSession,
  buffers: readonly GPUBuffer[],
  decode: (words: readonly Uint32Array<ArrayBuffer>[]) => Result,
  encoder?: GPUCommandEncoder,
): Promise<Result> {
  const parts = buffers.map((buffer) => ({ buffer, bytes: buffer.size }));
  return await mapParts(session, parts, (size) => size, encoder, decode);
}

/** The bytes of words in mapped memory. */
export function copied(words: readonly Uint32Array<ArrayBuffer>[]): ArrayBuffer[] {
  return words.map((part) => part.slice().buffer);
}

/**
 * Reads the first bytes of buffers in one copy. Lengths change from reading to reading: the staging buffer is the next power of two, so that a
 * sequence of images keeps a few of them and not one for each length.
 * @param decode makes the result of the parts' words, which lie in mapped memory and are gone when it returns
 * @param encoder commands that come before the copy, in the same submission; all is submitted before this function returns its promise
 */
export async function readBeginnings<Result>(
  session: GpuSession,
  parts: readonly Beginning[],
  decode: (words: readonly Uint32Array[]) => Result,
  encoder?: GPUCommandEncoder,
): Promise<Result> {
  if (parts.every(({ bytes }) => bytes === 0)) {
    if (encoder !== undefined) session.device.queue.submit([encoder.finish()]);
    return decode(parts.map(() => new Uint32Array(0)));
  }
  const roomFor = (size: number) => Math.max(LEAST_STAGING, 2 ** Math.ceil(Math.log2(size)));
  return await mapParts(session, parts, roomFor, encoder, decode);
}

/** @param roomFor bytes of the staging buffer, given the bytes that are read; @param decode makes the result of the parts' words, in mapped memory */
async function mapParts<Result>(
  session: GpuSession,
  parts: readonly Beginning[],
  roomFor: (size: number) => number,
  encoder: GPUCommandEncoder | undefined,
  decode: (words: readonly Uint32Array<ArrayBuffer>[]) => Result,
): Promise<Result> {
  const commands = encoder ?? session.device.createCommandEncoder({ label: "readback" });
  const size = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const staging = session.takeStaging(roomFor(size));
  let at = 0;
  for (const { buffer, bytes } of parts) {
    if (bytes > 0) commands.copyBufferToBuffer(buffer, 0, staging, at, bytes);
    at += bytes;
  }
  session.device.queue.submit([commands.finish()]);
  try {
    await staging.mapAsync(GPUMapMode.READ, 0, size);
  } catch (error) {
    session.check();
    throw error;
  }
  try {
    const mapped = staging.getMappedRange(0, size);
    let at = 0;
    return decode(
      parts.map(({ bytes }) => {
        const words = new Uint32Array(mapped, at, bytes / BYTES_PER_NUMBER);
        at += bytes;
        return words;
      }),
    );
  } finally {
    staging.unmap();
    session.keepStaging(staging);
    session.check();
  }
}

/**
 * Cuts consecutive pieces of the given sizes (numbers, not bytes) into runs that each fit one storage binding.
 * Returns the first piece of every run, and the piece count as the last element.
 * @param bytes largest size of a run; by default the device's largest binding
 */
export function splitByBinding(
  session: GpuSession,
  label: string,
  sizes: ArrayLike<number>,
  bytes = session.device.limits.maxStorageBufferBindingSize,
): number[] {
  const most = Math.floor(bytes / BYTES_PER_NUMBER);
  const starts = [0];
  let filled = 0;
  for (let piece = 0; piece < sizes.length; piece++) {
    const size = sizes[piece] as number;
    if (size > most) {
      throw new DeviceMemoryError(
        `${label} ${piece} needs ${size} numbers, but ${session.description.name} binds ${most}`,
      );
    }
    if (filled + size > most) {
      starts.push(piece);
      filled = 0;
    }
    filled += size;
  }
  starts.push(sizes.length);
  return starts;
}
