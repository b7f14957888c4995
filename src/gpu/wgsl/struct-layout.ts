/**
 * Where the fields of a WGSL struct lie in memory, and records of it as the words that a buffer holds.
 *
 *     W3C, "WebGPU Shading Language", section "Memory Layout": alignment and size of every host-shareable type
 */
import type { Declarations, Member, WgslType } from "./declarations.js";
import { integerOf } from "./integer.js";
import { KernelError } from "./kernel-error.js";

/** A scalar is a number, a vector or an array a list, a struct a record. */
export type FieldValue = number | ArrayLike<number> | readonly FieldValue[] | FieldRecord;
export interface FieldRecord {
  readonly [field: string]: FieldValue;
}

type Scalar = "u32" | "i32" | "f32";

type Shape =
  | { readonly kind: "scalar"; readonly scalar: Scalar }
  | { readonly kind: "list"; readonly of: Shape; readonly count: number; readonly stride: number }
  | { readonly kind: "struct"; readonly struct: StructLayout };

interface Measured {
  readonly shape: Shape;
  readonly align: number;
  readonly size: number;
}

interface StructMember {
  readonly name: string;
  /** Bytes from the start of the record. */
  readonly offset: number;
  readonly shape: Shape;
}

const WORD = 4;

export class StructLayout {
  /** Bytes of a record in an array of them. */
  readonly size: number;
  readonly align: number;
  readonly members: readonly StructMember[];

  /** @throws KernelError for a field whose type has no fixed size or that the host cannot write, with file and line */
  constructor(
    readonly name: string,
    declarations: Declarations,
    place: (line: number) => string,
  ) {
    const members = declarations.structs.get(name) ?? [];
    let end = 0;
    let widest = 1;
    this.members = members.map((member: Member) => {
      const measured = measure(member.type, declarations, place, member.line);
      const align = member.align ?? measured.align;
      const offset = roundUp(end, align);
      end = offset + measured.size;
      widest = Math.max(widest, align);
      return { name: member.name, offset, shape: measured.shape };
    });
    this.align = widest;
    this.size = roundUp(end, widest);
  }

  /** 4-byte words of a record. */
  get words(): number {
    return this.size / WORD;
  }

  /** The word of a record that a field begins with, for records too many to be packed one by one. */
  wordOf(name: string): number {
    const field = this.members.find((one) => one.name === name);
    if (field === undefined) throw new KernelError(`struct ${this.name} has no field ${name}; it has ${this.#names()}`);
    return field.offset / WORD;
  }

  /** Records one after the other, as an array<Name> or, one of them, a uniform holds them. Every field must be given. */
  pack(records: readonly FieldRecord[]): Uint32Array<ArrayBuffer> {
    const words = new Uint32Array(records.length * this.words);
    const view = new DataView(words.buffer);
    records.forEach((record, k) => {
      this.write(view, k * this.size, record);
    });
    return words;
  }

  /** Records whose fields are whole numbers, given field by field: for lists too long to be packed record by record. */
  packIntegers(fields: Readonly<Record<string, Int32Array | Uint32Array>>): Uint32Array<ArrayBuffer> {
    const { words } = this;
    const columns = this.members.map(({ name }) => fields[name]);
    if (columns.length !== words || columns.some((column) => column === undefined)) {
      throw new KernelError(
        `struct ${this.name} has the fields ${this.#names()}, not ${Object.keys(fields).join(", ")}`,
      );
    }
    const packed = new Uint32Array(words * columns[0].length);
    columns.forEach((column, at) => {
      for (let k = 0; k < column.length; k++) packed[k * words + at] = column[k];
    });
    return packed;
  }

  /** The records in a buffer's content as it was read back. */
  unpack<Record = FieldRecord>(bytes: ArrayBuffer): Record[] {
    const view = new DataView(bytes);
    const count = Math.floor(bytes.byteLength / this.size);
    return Array.from({ length: count }, (_, k) => this.read(view, k * this.size) as Record);
  }

  /** A field of all records in a buffer's content, or its words, for lists too long to be unpacked record by record. */
  floats(content: ArrayBuffer | Uint32Array, name: string): Float32Array {
    const { buffer, byteOffset, length } = wordsOf(content);
    const words = new Float32Array(buffer, byteOffset, length);
    return this.#column(words, new Float32Array(Math.floor(length / this.words)), name, "f32");
  }

  integers(content: ArrayBuffer | Uint32Array, name: string): Uint32Array {
    const words = wordsOf(content);
    return this.#column(words, new Uint32Array(Math.floor(words.length / this.words)), name, "u32");
  }

  write(view: DataView, at: number, record: FieldRecord): void {
    for (const name of Object.keys(record)) {
      if (!this.members.some((field) => field.name === name)) {
        throw new KernelError(`struct ${this.name} has no field ${name}; it has ${this.#names()}`);
      }
    }
    for (const { name, offset, shape } of this.members) {
      if (record[name] === undefined) throw new KernelError(`field ${name} of struct ${this.name} is not given`);
      writeValue(view, at + offset, shape, record[name], `${this.name}.${name}`);
    }
  }

  read(view: DataView, at: number): FieldRecord {
    return Object.fromEntries(
      this.members.map(({ name, offset, shape }) => [name, readValue(view, at + offset, shape)]),
    );
  }

  #column<Numbers extends Float32Array | Uint32Array>(
    all: Numbers,
    out: Numbers,
    name: string,
    scalar: Scalar,
  ): Numbers {
    const first = this.wordOf(name);
    const shape = this.members.find((one) => one.name === name)?.shape;
    if (shape?.kind !== "scalar" || shape.scalar !== scalar) {
      throw new KernelError(`field ${name} of struct ${this.name} is no ${scalar}`);
    }
    const { words } = this;
    for (let k = 0; k < out.length; k++) out[k] = all[k * words + first];
    return out;
  }

  #names(): string {
    return this.members.map(({ name }) => name).join(", ");
  }
}

const wordsOf = (content: ArrayBuffer | Uint32Array): Uint32Array =>
  content instanceof Uint32Array ? content : new Uint32Array(content);

const SHORT_VECTOR = /^vec([234])([iuf])$/;
const SCALAR_OF: Readonly<Record<string, Scalar>> = { i: "i32", u: "u32", f: "f32" };

function measure(type: WgslType, declarations: Declarations, place: (line: number) => string, line: number): Measured {
  const refuse = (why: string): never => {
    throw new KernelError(`${place(line)}: ${shown(type)} ${why}`);
  };
  const inner = (of: WgslType) => measure(of, declarations, place, line);
  const { name, of } = type;
  if (name === "u32" || name === "i32" || name === "f32") {
    return { shape: { kind: "scalar", scalar: name }, align: WORD, size: WORD };
  }
  if (name === "atomic") return inner(of[0]);
  const vector = SHORT_VECTOR.exec(name);
  if (vector !== null) return vectorOf(Number(vector[1]), inner({ name: SCALAR_OF[vector[2]], of: [] }));
  if (/^vec[234]$/.test(name)) return vectorOf(Number(name[3]), inner(of[0]));
  if (name === "array") {
    if (of.length < 2) return refuse("has no fixed size; bind it alone and not in a struct");
    const count = integerOf(of[1].name, (constant) => declarations.constants.get(constant));
    if (!(count > 0)) return refuse(`has a length that is not made of numbers and constants: ${of[1].name}`);
    return listOf(count, inner(of[0]));
  }
  const alias = declarations.aliases.get(name);
  if (alias !== undefined) return inner(alias);
  if (declarations.structs.has(name)) {
    const struct = new StructLayout(name, declarations, place);
    return { shape: { kind: "struct", struct }, align: struct.align, size: struct.size };
  }
  return refuse("is no type that the host can write: use u32, i32, f32, their vectors, arrays and structs");
}

/** vec3 is aligned as vec4. */
function vectorOf(count: number, { shape, size }: Measured): Measured {
  const align = (count === 2 ? 2 : 4) * size;
  return { shape: { kind: "list", of: shape, count, stride: size }, align, size: count * size };
}

function listOf(count: number, { shape, align, size }: Measured): Measured {
  const stride = roundUp(size, align);
  return { shape: { kind: "list", of: shape, count, stride }, align, size: count * stride };
}

function writeValue(view: DataView, at: number, shape: Shape, value: FieldValue, what: string): void {
  if (shape.kind === "struct") {
    shape.struct.write(view, at, value as FieldRecord);
  } else if (shape.kind === "list") {
    const list = value as ArrayLike<FieldValue>;
    if (list.length !== shape.count) throw new KernelError(`${what} holds ${shape.count} values, not ${list.length}`);
    for (let k = 0; k < shape.count; k++) writeValue(view, at + k * shape.stride, shape.of, list[k], `${what}[${k}]`);
  } else {
    writeScalar(view, at, shape.scalar, value as number, what);
  }
}

function writeScalar(view: DataView, at: number, scalar: Scalar, value: number, what: string): void {
  const isRight =
    typeof value === "number" && (scalar === "f32" || value === (scalar === "u32" ? value >>> 0 : value | 0));
  if (!isRight) throw new KernelError(`${what} is ${scalar} and cannot be ${value}`);
  if (scalar === "f32") view.setFloat32(at, value, true);
  else if (scalar === "u32") view.setUint32(at, value, true);
  else view.setInt32(at, value, true);
}

function readValue(view: DataView, at: number, shape: Shape): FieldValue {
  if (shape.kind === "struct") return shape.struct.read(view, at);
  if (shape.kind === "list") {
    return Array.from({ length: shape.count }, (_, k) => readValue(view, at + k * shape.stride, shape.of));
  }
  if (shape.scalar === "f32") return view.getFloat32(at, true);
  return shape.scalar === "u32" ? view.getUint32(at, true) : view.getInt32(at, true);
}

function roundUp(value: number, to: number): number {
  return to * Math.ceil(value / to);
}

function shown({ name, of }: WgslType): string {
  return of.length === 0 ? name : `${name}<${of.map(shown).join(", ")}>`;
}
