import { CompensatedSum } from "../certificate/compensated-sum.js";

/** A number of either kind; Infinity, of both kinds, is the cost of what cannot be used. Both kinds compare with each other. */
export type Value = number | bigint;

/** A list of numbers of either kind. */
export interface Values extends Iterable<Value> {
  [index: number]: Value;
  readonly length: number;
}

/**
 * The numbers that a proof is made and checked in: f64, where every operation rounds to the side that proves less, or integers, where none rounds.
 * One algorithm is written over either. The solver uses it with f64 numbers, so that it claims what the check finds.
 */
export interface Numbers {
  /** An f64 number itself, which is finite or Infinity. */
  of(value: number): Value;
  /** At most a + b; Infinity where one of them is. */
  down(a: Value, b: Value): Value;
  /** At least a + b, of finite numbers. */
  up(a: Value, b: Value): Value;
  /** At least a · k, for a whole number k ≥ 0. */
  times(a: Value, k: number): Value;
  /** The sum of many numbers from below and above. */
  total(...terms: readonly Iterable<Value>[]): { readonly least: Value; readonly most: Value };
  /** A list of one number many times. */
  list(length: number, value: Value): Values;
  /** A list of f64 numbers themselves. */
  listOf(values: Float64Array): Values;
  /** The greatest f64 number that is not above `value`. */
  f64(value: Value): number;
}

/** More than half an ulp of any number, and less than one, relative to it. */
const ETA = 2 ** -53 + 2 ** -63;

/** An f64 number below `value`, the next one unless that is subnormal. */
function below(value: number): number {
  return value - (Math.abs(value) * ETA + Number.MIN_VALUE);
}

function down(a: number, b: number): number {
  const sum = a + b;
  if (!Number.isFinite(sum)) return overflow(a, b, sum);
  // The exact error of the sum (D. E. Knuth, The Art of Computer Programming 2, §4.2.2).
  const ofB = sum - a;
  const error = a - (sum - ofB) + (b - ofB);
  // An error that is no number, by an overflow, counts as one.
  return error >= 0 ? sum : below(sum);
}

function overflow(a: number, b: number, sum: number): number {
  if (a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  return sum > 0 ? Number.MAX_VALUE : Number.NEGATIVE_INFINITY;
}

/** f64 numbers: each operation rounds by less than an ulp, and so do long sums (compensated-sum.ts). */
export const rounded: Numbers = {
  of: (value) => value,
  down: (a, b) => down(a as number, b as number),
  up: (a, b) => -down(-a as number, -b as number),
  times: (a, k) => (a === 0 || k === 1 ? a : -below(-(a as number) * k)),
  total(...terms) {
    const sum = new CompensatedSum();
    for (const part of terms) for (const term of part) sum.add(term as number);
    return { least: sum.lower, most: sum.upper };
  },
  list: (length, value) => new Float64Array(length).fill(value as number),
  listOf: (values) => values.slice(),
  f64: (value) => value as number,
};

/** Integers of any length, in units of 2^−shift. */
export function integers(shift: number): Numbers {
  const plus = (a: Value, b: Value): Value =>
    typeof a === "bigint" && typeof b === "bigint" ? a + b : Number.POSITIVE_INFINITY;
  const of = (value: number): Value => (Number.isFinite(value) ? scaled(value, shift) : value);
  return {
    of,
    down: plus,
    up: plus,
    times: (a, k) => (a as bigint) * BigInt(k),
    total(...terms) {
      let sum: Value = 0n;
      for (const part of terms) for (const term of part) sum = plus(sum, term);
      return { least: sum, most: sum };
    },
    list: (length, value) => new Array<Value>(length).fill(value),
    listOf: (values) => Array.from(values, of),
    f64: (value) => (typeof value === "bigint" ? roundDown(value, shift) : value),
  };
}

const view = new DataView(new ArrayBuffer(8));

/** value = mantissa · 2^exponent, exactly. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { mantissa: value < 0 ? -magnitude : magnitude, exponent: Math.max(biased, 1) - 1075 };
}

/** The least n ≥ 0 for which an f64 number is a multiple of 2^−n. */
export function binaryPlaces(value: number): number {
  if (value === 0) return 0;
  const { mantissa, exponent } = parts(value);
  let [odd, places] = [mantissa, -exponent];
  while (odd % 2n === 0n && places > 0) {
    odd /= 2n;
    places--;
  }
  return Math.max(0, places);
}

function scaled(value: number, shift: number): bigint {
  const { mantissa, exponent } = parts(value);
  const by = exponent + shift;
  return by >= 0 ? mantissa << BigInt(by) : mantissa >> BigInt(-by);
}

/** The greatest f64 number that is not above an exact one in units of 2^−shift. */
export function roundDown(value: bigint, shift: number): number {
  const bits = (value < 0n ? -value : value).toString(2).length;
  // Beyond 1074 places there is no f64 number.
  const cut = Math.max(0, bits - 53, shift - 1074);
  // An arithmetic shift rounds towards −Infinity.
  return Number(value >> BigInt(cut)) * 2 ** (cut - shift);
}
