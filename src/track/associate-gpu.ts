/** How tracks and measurements are linked on a GPU. Every frame is certified in f64 from the device's own prices. */
import type { GpuSession } from "../gpu/session.js";
import { fixedProblem, GRID_ERROR, ofScene } from "../lap/auction/fixed-point.js";
import { GpuAuction } from "../lap/auction/gpu-auction.js";
import { lapOf } from "../lap/auction/problem.js";
import { sidesOf } from "../lap/auction/sides.js";
import { solveLapsOnGpu } from "../lap/block-hungarian/gpu-solve.js";
import type { Association, Associator } from "./associate.js";
import { auctionOf, requireWithin } from "./auction.js";
import { Exact } from "./exact.js";
import type { GatedFrame } from "./gate.js";

/** The auction over the list of candidates in fixed point: all rounds in one workgroup, or in several kernels where a frame is too large for that. */
export class AuctionOnGpu implements Associator {
  readonly name = "gpu-auction";
  readonly ran: string;
  readonly #exact = new Exact();

  private constructor(
    readonly auction: GpuAuction,
    readonly share: number,
    readonly mostRounds: number,
  ) {
    this.ran = `${auction.session.description.name}, 32-bit fixed point, list of candidates`;
  }

  /** @param share ε, of d_max */
  static async create(session: GpuSession, share: number, mostRounds: number): Promise<AuctionOnGpu> {
    return new AuctionOnGpu(await GpuAuction.create(session), share, mostRounds);
  }

  async associate(frame: GatedFrame): Promise<Association> {
    const scene = auctionOf(frame);
    const problem = fixedProblem(scene, sidesOf(scene), this.share);
    const answer = await this.auction.solve(problem, this.mostRounds);
    const { rounds } = answer;
    if (answer.status === "capped") return { ...this.#exact.associate(frame), rounds, capped: true };
    const { objectOfPerson, price } = ofScene(problem, answer, scene);
    // ε, and the rounding of the grid, which may take from a pair or add to another.
    requireWithin(scene, objectOfPerson, price, ((problem.epsilon + 2 * GRID_ERROR) / problem.reach) * frame.reach);
    return { measurementOfTrack: objectOfPerson, rounds };
  }

  async close(): Promise<void> {
    this.auction.destroy();
  }
}

/** The error of f32 duals per track, as a share of d_max. */
const F32_SLACK = 1e-5;

/** The Hungarian method in one workgroup, in f32, on a dense matrix of tracks and measurements that may stay alone. */
export class BlockHungarian implements Associator {
  readonly name = "block-hungarian";
  readonly ran: string;

  constructor(readonly session: GpuSession) {
    this.ran = `${session.description.name} f32`;
  }

  async associate(frame: GatedFrame): Promise<Association> {
    const { tracks, measurements, reach } = frame;
    if (tracks === 0 || measurements === 0) return { measurementOfTrack: new Int32Array(tracks).fill(-1) };
    const problem = auctionOf(frame);
    const [{ solution }] = await solveLapsOnGpu(this.session, [lapOf(problem)]);
    const price = solution.columnDual.map((dual) => Math.max(0, -dual));
    requireWithin(problem, solution.columnOfRow, price, F32_SLACK * reach);
    return { measurementOfTrack: solution.columnOfRow };
  }

  async close(): Promise<void> {}
}
