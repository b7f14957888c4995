/** The two errors of rmap's own: bad input, and a defect. The command line turns the first into one line and exit code 2. */

/** Input the user can correct: the message names the place, the value and the remedy in one line. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** A proposition that the mathematics guarantees did not hold. This is a defect in rmap, never in the input. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Throws InvariantError unless `holds`; the message is only built when it is needed. */
export function invariant(holds: boolean, message: () => string): asserts holds {
  if (!holds) throw new InvariantError(message());
}

/** Work was cut short because its time is over; everything written so far is whole. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/** A process that had a part of the work is gone; what was known before is whole. */
export class PeerLost extends Error {
  override readonly name = "PeerLost";
}
