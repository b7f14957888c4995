import type { Detections } from "../../core/detections.js";
import type { OddsOfDetections } from "../../costs/motion/odds.js";
import type { Extent } from "../../costs/motion/track-costs.js";
import type { Graph } from "../../map/instance/instance.js";
import {
  ascend,
  type Found,
  graphOf,
  type Piece,
  type PieceOptions,
  pieceOf,
  requireSamePrices,
  solvePiece,
} from "../../map/window/piece.js";
import { fillSeam, type Seam, solveSeam } from "../../map/window/seam.js";
import { stretchOf } from "../../map/window/stretch.js";
import { multipliersInFileOrder } from "../multipliers.js";
import { type Closing, closeWindow, type DecidedWindow } from "./decided.js";
import type { InputFrame } from "./frames.js";
import { type FramesTask, findPlaces, type PlacesTask, type RecordingPlaces, readStretch } from "./places.js";
import { type OverLinks, priceStretch, type StatedCosts, stretchWithoutGaps } from "./stated-costs.js";

/** Some frames of a recording, and all that decides what they cost but the choice of links over missed detections. */
export interface Priceable {
  /** Frame of the recording that frame 0 of `detections` is. */
  readonly first: number;
  readonly detections: Omit<Detections, "target" | "attributes">;
  /** Odds of births and ends at each detection. */
  readonly odds: OddsOfDetections;
  readonly extent: Extent;
  readonly statement: StatedCosts;
}

/** Frames in which the links over missed detections are chosen that leave some of them. */
export interface ChoiceJob extends Priceable {
  /** First and last of the frames whose links are chosen, counted in the recording. */
  readonly choose: readonly [from: number, to: number];
  readonly options: PieceOptions;
}

/** A window as a thread solves it: plain data, all that its answer depends on. Its detections are those of its frames, and of those around them that its prices depend on. */
export interface WindowJob extends Priceable {
  readonly over: OverLinks;
  /** First and last frame of the window and its overlaps, counted in the recording. */
  readonly from: number;
  readonly to: number;
  readonly options: PieceOptions;
}

/** The instance of a window: the same to the last bit for everyone. */
export interface PricedWindow {
  readonly graph: Graph;
  /** Number within its frame of the input of each detection of the problem; −1 for one that stands in for a missed one. */
  readonly place: Int32Array;
}

/** A window to solve, or to put together from what was found in it before. */
export interface WindowTask {
  readonly job: WindowJob;
  readonly found: Found | null;
}

export interface WindowAnswer extends Pick<PricedWindow, "place"> {
  readonly piece: Piece;
}

/** Two windows to join. */
export interface SeamTask {
  readonly seam: Seam;
  readonly options: PieceOptions;
}

/** The links over missed detections that take part, of the frames whose links are chosen, by the job's detections. */
export async function chooseOver(
  { first, detections, odds, statement, extent, choose, options }: ChoiceJob,
  pause?: () => Promise<void>,
): Promise<OverLinks> {
  const { priced, closeGaps } = stretchWithoutGaps({ ...detections, target: null }, odds, statement, extent);
  const graph = graphOf(first, priced);
  const ended = await ascend(graph, options, pause);
  const { tail, head } = closeGaps(multipliersInFileOrder(graph, ended));
  const [from, to] = [detections.frameStart[choose[0] - first], detections.frameStart[choose[1] - first + 1]];
  const isChosen = tail.map((i) => (from <= i && i < to ? 1 : 0));
  return { tail: tail.filter((_, e) => isChosen[e] === 1), head: head.filter((_, e) => isChosen[e] === 1) };
}

function priceWindow({ first, detections, odds, statement, extent, over, from, to }: WindowJob): PricedWindow {
  const priced = priceStretch({ ...detections, target: null }, odds, statement, extent, over);
  const [begin, end] = [from - first, to - first];
  const { frameStart } = priced.links;
  const before = frameStart[begin];
  const place = priced.origin.slice(before, frameStart[end + 1]);
  for (let p = begin; p <= end; p++) {
    for (let d = frameStart[p] - before; d < frameStart[p + 1] - before; d++) {
      if (place[d] >= 0) place[d] -= detections.frameStart[p];
    }
  }
  return { graph: stretchOf(graphOf(first, priced), begin, end), place };
}

/** Prices and solves a window, or puts it together from what was found in it before. */
export async function runWindow({ job, found }: WindowTask, pause?: () => Promise<void>): Promise<WindowAnswer> {
  const { graph, place } = priceWindow(job);
  const piece =
    found === null ? await solvePiece(job.from, graph, job.options, pause) : pieceOf(job.from, graph, found);
  return { piece, place };
}

/** Solves the seam between two windows, in whose memory it puts what it finds; resolves with its iterations. */
export async function joinWindows({ seam, options }: SeamTask, pause?: () => Promise<void>): Promise<number> {
  const { from, to, left, right } = seam;
  requireSamePrices(left, right, from, to);
  const found = await solveSeam(seam, options, pause);
  fillSeam(left, found, seam);
  fillSeam(right, found, seam);
  return found.iterations;
}

/** Does a task of the windows on a thread. */
export async function runTask(
  task: ChoiceJob | WindowTask | SeamTask | Closing | PlacesTask | FramesTask,
  pause?: () => Promise<void>,
): Promise<OverLinks | WindowAnswer | number | DecidedWindow | RecordingPlaces | InputFrame[]> {
  if ("recording" in task) return "place" in task ? readStretch(task) : findPlaces(task);
  if ("choose" in task) return chooseOver(task, pause);
  if ("job" in task) return runWindow(task, pause);
  return "seam" in task ? joinWindows(task, pause) : closeWindow(task);
}
