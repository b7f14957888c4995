import { bindStudentT, minusLogDensity, roundStudentT } from "../density/student.js";

export interface DivisionLaw {
  /** Divisions a detection. */
  readonly rate: number;
  /** Scale of the middle of two daughters about the place where the mother would be, and of a daughter's distance from it, an axis. */
  readonly middle: number;
  readonly apart: number;
  /** ln of the factor by which the tracks are likelier with divisions. */
  readonly evidence: number;
}

/** The tail of the middle of two daughters about the place where the mother would be. */
export const TAIL = 4;

/** −ln of the densities of a division's law, by squared distances: of both daughters' places with the rate of divisions, and of one daughter's place. */
export function bindLaw({ rate, middle, apart }: DivisionLaw, axes: number) {
  const inSpace = axes === 3;
  const around = bindStudentT(roundStudentT(TAIL, middle, inSpace));
  const alone = bindStudentT(roundStudentT(TAIL, Math.hypot(middle, apart), inSpace));
  // The density of both places is half that of their middle and of half their difference, or in space a quarter, each unordered pair counting twice.
  const norm = (axes - 1) * Math.log(2) + 0.5 * axes * Math.log(2 * Math.PI * apart * apart) - Math.log(rate);
  return {
    both: (toMiddle: number, half: number) =>
      norm + minusLogDensity(around, Math.sqrt(toMiddle), 0) + half / (2 * apart * apart),
    one: (away: number) => minusLogDensity(alone, Math.sqrt(away), 0),
  };
}

export const squareTo = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, along, n) => sum + (along - b[n]) ** 2, 0);
