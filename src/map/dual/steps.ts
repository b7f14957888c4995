import type { AscentState } from "./state.js";

/**
 * Seconds spent in the ascent's parts: X-LAPs, Y-LSAPs, cost distribution, moving multipliers and planes, repairing tracks; and readback, waiting
 * for a device, its kernels included where they are not timed one by one.
 */
export type StepTimes = Record<"xLap" | "yLsap" | "distribution" | "update" | "tracks" | "readback", number>;

/** What `read` fetches, as AscentState has it. */
export type ReadState = Pick<AscentState, "v" | "delta" | "reduced" | "rowDual" | "columnDual" | "linkOfRow"> &
  Partial<Pick<AscentState, "exclusions" | "cliques">> & {
    /** Whether v and the duals are the caller's own, which no later step or reading writes to. */
    readonly isGiven?: boolean;
  };

/** Even or odd frame pairs: a step that also moves a neighbour's multipliers visits them in two halves. */
export type Parity = 0 | 1;

/** The even frame pairs, and the odd ones. */
export function halvesOf(pairs: number): readonly [number[], number[]] {
  const all = Array.from({ length: pairs }, (_, p) => p);
  return [all.filter((p) => p % 2 === 0), all.filter((p) => p % 2 === 1)];
}

/**
 * A device's search for tracks: the link out of each detection, UNASSIGNED where its track ends. They begin at the last evaluation, and are repaired by [C12]'s move
 * over the even and the odd pairs in turn.
 */
export interface DeviceTracks {
  /** From the last assignment, or from what the multipliers make front to back or back to front. */
  from(seed: "assignment" | "forward" | "backward"): Promise<Int32Array>;
  /** From other tracks. */
  repaired(tracks: Int32Array): Promise<Int32Array>;
}

/**
 * The steps that an ascent consists of, each over all frame pairs. An ascent knows nothing else of the device that runs them.
 * Everything stays on the device; only numbers come back, and `read` fetches what the primal side and the certificate need.
 */
export interface AscentSteps {
  /** Precision of the bounds and multipliers. */
  readonly precision: "f64" | "f32";
  /** Seconds by phase so far. */
  readonly times: StepTimes;
  /**
   * Iterations of a monotone ascent between two bounds: a bound is free on the CPU and a round trip on a device, which the
   * others do not wait for.
   */
  readonly boundEvery: number;
  /** On a GPU, the frame pairs whose X-LAPs are solved on their links alone, and those that are solved as matrices. */
  readonly xLaps?: { readonly sparse: number; readonly blockHungarian: number };
  /** What the device did otherwise than was asked, for the user to read. */
  readonly notes?: readonly string[];
  /** Y-LSAPs at the present multipliers: Δ and Ĉ, without X-LAPs. */
  price(): Promise<void>;
  /** Y-LSAPs and X-LAPs at the present multipliers, for the reduced costs and the subgradient. */
  assign(): Promise<void>;
  /**
   * The same; resolves to L(v) in the device's precision.
   * @throws DeviceError where a device returns NaN
   */
  evaluate(): Promise<number>;
  /** v −= share · r at all pairs at once, r the reduced costs of the last evaluation ([K23] Algorithm 1, where it is 1). */
  pushReducedCosts(share: number): Promise<void>;
  /** Visits the pairs of one parity: pull slack from the left, solve, push half the reduced costs to either side. */
  visit(parity: Parity): Promise<void>;
  /** Subgradient g = x − Σ y of the last evaluation; resolves to ‖g‖². */
  subgradient(): Promise<number>;
  /** v += step · g. */
  follow(step: number): Promise<void>;
  /** Multipliers of 0, and X-LAPs from a cold start. */
  reset(): Promise<void>;
  /** Sets the multipliers of all edges, or of some from edge `first` on; those of births and of the first frame pair must be 0. */
  setMultipliers(v: Float64Array, first?: number): Promise<void>;
  /** The multipliers of ranges of edges, each from its first edge to the one before its end. */
  multipliers(ranges: readonly (readonly [first: number, end: number])[]): Promise<Float64Array[]>;
  /** Keeps the present multipliers (the centre, for the bundle), or goes back to those kept. */
  keep(): Promise<void>;
  restore(): Promise<void>;
  /** Starts the bundle at the last evaluation. */
  beginBundle(): Promise<void>;
  /** Adds the last evaluation's planes without moving. */
  collectPlanes(): Promise<void>;
  /** Solves the subproblems pair by pair and moves towards each new plane. */
  refine(tau: number): Promise<void>;
  /** Does the same with the planes already kept, without solving anything. */
  refineKept(tau: number): Promise<void>;
  /** The bundle's model at the present point and, as in `evaluate`, L(v) there, with one wait for a device. */
  evaluateBundle(): Promise<{ readonly bound: number; readonly model: number }>;
  /** v = kept + τ (X − Y). */
  stand(tau: number): Promise<void>;
  /** Where there may be rows: looks for those that the bundle's combination violates, of divisions alone or (1) of cliques too; resolves to the number of new ones. */
  separate?(all: number): Promise<number>;
  /** Resolves when every step so far has run; a step may run later than it is called. */
  finished(): Promise<void>;
  /**
   * Has long steps cut short [never]: once `late` says so, or the function returned is called while other threads are at work, a step leaves
   * out the frame pairs that it has not begun and throws OutOfTime. Multipliers that were kept stay as they are. null takes it back.
   */
  limit?(late: (() => boolean) | null): () => void;
  /** Where steps can be cut short: β of the multipliers that are kept, null where none are. */
  keptDuals?(): Promise<Float64Array | null>;
  /** Where the device can search for tracks by itself. */
  readonly tracks?: DeviceTracks;
  /**
   * The state as the host sees it, or of it at least v, and the duals; valid until the next step.
   * @throws DeviceError where a device returns a number that is not finite
   */
  read(part?: "multipliers"): Promise<ReadState>;
  close(): Promise<void>;
}
