/** Times auctions on the frames of a recording as a tracker sees them: the boards against each other, and against the exact solver on one CPU core. */

import { extent } from "d3-array";
import type { Detections } from "../../dist/core/detections.js";
import { InputError, invariant } from "../../dist/core/errors.js";
import type { BusyWork } from "../../dist/experiments/bench/timing.js";
import type { GpuSession } from "../../dist/gpu/session.js";
import { certifyAuction } from "../../dist/lap/auction/certificate.js";
import { type FixedAnswer, type FixedProblem, GRID_ERROR } from "../../dist/lap/auction/fixed-point.js";
import { TrackRun } from "../../dist/run/track.js";
import { TRACK_DEFAULTS } from "../../dist/run/track-options.js";
import type { Associator } from "../../dist/track/associate.js";
import { auctionOf } from "../../dist/track/auction.js";
import { Exact } from "../../dist/track/exact.js";
import { Gate, type GatedFrame } from "../../dist/track/gate.js";
import { type Board, BoardAuction, type Loop } from "./boards.js";
import { type AuctionForm, problemOf, resultOf } from "./forms.js";

/** Of frames: milliseconds, or counts. */
export interface OverFrames {
  readonly mean: number;
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

export interface AuctionMeasurement {
  readonly board: Board;
  readonly form: AuctionForm;
  readonly loop: Loop;
  /** From the points on the host to the matching on the host. */
  readonly milliseconds: OverFrames;
  /** The same of each frame. */
  readonly frameMilliseconds: readonly number[];
  readonly rounds: OverFrames;
  /** Words of bids, prices and owners. */
  readonly words: OverFrames;
  /** Frames that reached the limit of rounds, which the exact solver decides. */
  readonly capped: number;
  /** The board that ran instead where the one asked for did not fit, and in how many frames. */
  readonly instead: Readonly<Record<string, number>>;
  /** Largest of gap / (N ε and grid) over the frames; at most 1 is certified. */
  readonly worstGap: number;
}

/** Frames after the tracker has settled. */
const SETTLED = 12;

/**
 * The association problems of a tracker with the default settings in `count` frames of a recording.
 * @param border whether tracks end that are predicted out of view
 * @param tiles copies of each frame side by side along either axis, for larger problems of the same kind
 * @param crowd d_max over the default one: more candidates a track
 */
export async function framesOf(
  detections: Detections,
  { count, border, tiles, crowd }: { count: number; border: boolean; tiles: number; crowd: number },
): Promise<GatedFrame[]> {
  const frames: GatedFrame[] = [];
  const exact = new Exact();
  let seen = 0;
  const recorder: Associator = {
    name: "jv",
    ran: "cpu f64",
    associate: (frame) => {
      if (seen++ >= SETTLED && frames.length < count) frames.push(tiled(frame, tiles, crowd));
      return exact.associate(frame);
    },
    close: exact.close,
  };
  const run = new TrackRun({
    ...TRACK_DEFAULTS,
    associator: recorder,
    view: border ? "auto" : null,
  });
  const { frameStart, x, y } = detections;
  for (let p = 0; p < detections.frames && frames.length < count; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) run.add({ frame: p, x: x[d], y: y[d], target: null });
    await run.flush();
  }
  if (frames.length === 0)
    throw new InputError(`a recording of ${detections.frames} frames is too short; give one of ${SETTLED + 8} or more`);
  return frames;
}

/** Copies of the points, farther apart than any gate reaches, with a gate of their own. */
function tiled(
  { tracks, trackX, trackY, measurementX, measurementY, reach }: GatedFrame,
  tiles: number,
  crowd: number,
): GatedFrame {
  const sideOf = (values: readonly number[]) => {
    const [least = 0, most = 0] = extent(values);
    return most - least + 3 * crowd * reach;
  };
  const width = sideOf([...measurementX, ...trackX]);
  const height = sideOf([...measurementY, ...trackY]);
  const spread = (values: Float64Array, pitch: number, way: (tile: number) => number) =>
    Float64Array.from(
      { length: values.length * tiles * tiles },
      (_, n) => values[n % values.length] + pitch * way(Math.floor(n / values.length)),
    );
  const column = (tile: number) => tile % tiles;
  const row = (tile: number) => Math.floor(tile / tiles);
  return new Gate().frame(
    tracks * tiles * tiles,
    spread(trackX, width, column),
    spread(trackY, height, row),
    spread(measurementX, width, column),
    spread(measurementY, height, row),
    crowd * reach,
  );
}

/** Times one board on all frames, certifies every answer. @param share ε, of d_max @throws InvariantError for an answer that is not certified */
export async function measureAuction(
  session: GpuSession,
  busy: BusyWork,
  now: () => number,
  frames: readonly GatedFrame[],
  {
    board,
    form,
    loop,
    share,
    mostRounds,
  }: { board: Board; form: AuctionForm; loop: Loop; share: number; mostRounds: number },
): Promise<AuctionMeasurement> {
  const auction = await BoardAuction.create(session, { board, form, loop });
  const times: number[] = [];
  const rounds: number[] = [];
  const words: number[] = [];
  const instead: Record<string, number> = {};
  let capped = 0;
  let worstGap = 0;
  try {
    // A tracker has been running for a while; the host's compiler needs the frames, too.
    for (const frame of frames) await auction.solve(problemOf(auctionOf(frame), form, share), mostRounds);
    await busy.run();
    await session.finished();
    for (const frame of frames) {
      const begin = now();
      const problem = problemOf(auctionOf(frame), form, share);
      const answer = await auction.solve(problem, mostRounds);
      times.push((now() - begin) * 1000);
      rounds.push(answer.rounds);
      words.push(answer.words);
      if (answer.ran !== board) instead[answer.ran] = (instead[answer.ran] ?? 0) + 1;
      if (answer.status === "capped") capped++;
      else worstGap = Math.max(worstGap, gapOf(frame, problem, form, answer));
    }
  } finally {
    auction.destroy();
  }
  invariant(
    worstGap <= 1,
    () =>
      `an auction (${board}, ${form}) is ${worstGap} times the certified slack from the optimum; no time is reported`,
  );
  return {
    board,
    form,
    loop,
    milliseconds: overFrames(times),
    frameMilliseconds: times,
    rounds: overFrames(rounds),
    words: overFrames(words),
    capped,
    instead,
    worstGap,
  };
}

/** Gap over what is allowed: ε and the grid for each person. */
function gapOf(frame: GatedFrame, problem: FixedProblem, form: AuctionForm, answer: FixedAnswer): number {
  const scene = auctionOf(frame);
  const { objectOfPerson, price } = resultOf(problem, form, answer, scene);
  const slack = ((problem.epsilon + 2 * GRID_ERROR) / problem.reach) * frame.reach * Math.max(1, problem.persons);
  const { legal, gap } = certifyAuction(scene, objectOfPerson, price);
  return legal ? gap / slack : Number.POSITIVE_INFINITY;
}

/** The exact solver on one CPU core, on the same candidates. */
export function measureExact(now: () => number, frames: readonly GatedFrame[]): OverFrames {
  const exact = new Exact();
  for (const frame of frames) exact.associate(frame);
  return overFrames(
    frames.map((frame) => {
      const begin = now();
      exact.associate(frame);
      return (now() - begin) * 1000;
    }),
  );
}

export function overFrames(values: readonly number[]): OverFrames {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return {
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    median: at(0.5),
    p99: at(0.99),
    max: sorted[sorted.length - 1],
  };
}
