/**
 * [K23] Algorithm 1 over dense triplets, as its predecessor runs it: the costs themselves are changed, n³ of them per frame triple,
 * and the host waits after each step.
 *
 *     X_ij   the cost of link (i, j) of a frame pair, of which the X-LAPs take what they can
 *     Y_ijk  the cost of a triplet of three frames
 *
 * One iteration: X_ij += min_k Y_ijk and Y less by it (Y-LSAP), X less by the X-LAPs' duals, and Y_ijk += X_jk, X_jk = 0
 * (distribution). What leaves X is −v of src/map, so that the bound can be certified from v and the duals.
 */
import { readStorage, splitByBinding, writeStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { Bound, Step } from "../../gpu/workspace.js";
import { tripletCostText } from "../../map/gpu/gpu-kernels.js";
import type { Graph, ImplicitTriplets } from "../../map/instance/instance.js";
import { denseIndex, denseLinks, denseTriplets, GATED, linkPlaces, NO_LINK, squareSize } from "./dense-costs.js";
import { HostLoop } from "./host-loop.js";
import { HostHungarian } from "./hungarian.js";

/** v by edge; α of detections as rows and β of detections as columns, as in AscentState. */
export interface DenseDuals {
  readonly v: Float64Array;
  readonly rowDual: Float64Array;
  readonly columnDual: Float64Array;
}

/** Frame triples whose triplets share a buffer below the binding limit. */
interface Chunk {
  readonly first: number;
  readonly count: number;
  /** Names of the chunk's uniform and of the buffer of its triplets. */
  readonly bound: Readonly<Record<"chunk" | "triplets", string>>;
}

export class DenseAscent {
  /** The buffers are in the workspace of the LAPs: X is their matrix. */
  private constructor(
    readonly graph: Graph,
    private readonly n: number,
    private readonly laps: HostHungarian,
    private readonly chunks: readonly Chunk[],
    private readonly loop: HostLoop,
    private readonly steps: Readonly<Record<"yLsap" | "carry" | "distribute" | "settle", readonly Step[]>>,
  ) {}

  /**
   * Needs frames of equal size, and no births and deaths. `reset` gives it costs.
   * @param mostTriples frame triples that share a buffer at most, if not as many as a binding holds
   */
  static async create(session: GpuSession, graph: Graph, mostTriples = Number.POSITIVE_INFINITY): Promise<DenseAscent> {
    const n = squareSize(graph);
    const pairs = graph.frames - 1;
    const triples = pairs - 1;
    const load = (name: string, constants: Record<string, number> = {}) =>
      loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });
    const yLsap = await load("y-lsap");
    const carry = await load("carry");
    const distribute = await load("distribute", { GATED });
    const settle = await load("settle", { GATED });
    const laps = await HostHungarian.create(session, n, pairs);
    const { work } = laps;
    return await session.scoped("dense ascent", () => {
      const chunks = cutTriples(session, n, triples, mostTriples);
      for (const { first, count, bound } of chunks) {
        work.storage(bound.triplets, count * n ** 3);
        work.uniform(bound.chunk, yLsap.struct("Chunk"), { n, first });
      }
      work.storage("least", triples * n * n);
      work.storage("multipliers", pairs * n * n);
      work.storage("report", 1);
      const links = { links: "matrix" };
      const perChunk = (kernel: Kernel, others: Bound = {}): Step[] =>
        chunks.map(({ count, bound }) => ({ kernel, groups: [n, n, count], bound: { ...bound, ...others } }));
      const settling = chunks
        .slice(0, 1)
        .map(({ bound: { chunk } }): Step => ({ kernel: settle, groups: [n, triples], bound: { chunk, ...links } }));
      const steps = {
        yLsap: perChunk(yLsap),
        carry: perChunk(carry, links),
        distribute: perChunk(distribute, links),
        settle: settling,
      };
      return new DenseAscent(graph, n, laps, chunks, new HostLoop(work, "report"), steps);
    });
  }

  /** Host waits so far, those of the LAPs included. */
  get waits(): number {
    return this.loop.steps + this.laps.steps;
  }

  /** The costs of the instance, and multipliers and duals of 0. */
  async reset(): Promise<void> {
    const { n, graph } = this;
    const { work } = this.laps;
    this.laps.write(denseLinks(graph, n));
    work.upload("multipliers", new Float32Array((graph.frames - 1) * n * n));
    if (graph.triplets.kind === "implicit") await this.priceTriplets(graph.triplets);
    else this.uploadTriplets();
    await work.session.finished();
  }

  /** Computes Y from the numbers of the links. */
  private async priceTriplets({ rule, perEdge }: ImplicitTriplets): Promise<void> {
    const { n, graph, chunks } = this;
    const { work } = this.laps;
    const kernel = await loadKernel(work.session, new URL("./price-triplets.wgsl", import.meta.url), {
      constants: { GATED, NO_LINK },
      texts: { "triplet-cost": tripletCostText(rule) },
    });
    await work.session.scoped("prices of triplets", async () => {
      work.upload("linkAt", linkPlaces(graph, n));
      work.upload("perEdge", Float32Array.from(perEdge));
      const steps = chunks.map(({ count, bound }): Step => ({ kernel, groups: [n, n, count], bound }));
      await work.submit((encoder) => work.record(encoder, steps, "prices of triplets"));
    });
  }

  /** Stored costs have no formula, so the host writes them into the dense array. */
  private uploadTriplets(): void {
    const { n, graph } = this;
    const { work } = this.laps;
    const dense = new Float32Array(n ** 3);
    for (const { first, count, bound } of this.chunks) {
      const triplets = work.buffer(bound.triplets);
      for (let p = 0; p < count; p++) {
        writeStorage(work.session, triplets, denseTriplets(graph, n, first + p, dense), p * n ** 3);
      }
    }
  }

  /** Y-LSAPs: the least triplet cost of every link goes to the link. */
  async takeLeast(): Promise<void> {
    await this.loop.step(this.steps.yLsap);
    await this.loop.step(this.steps.carry);
  }

  /** X-LAPs of all frame pairs. */
  async assign(): Promise<void> {
    await this.laps.solve();
  }

  /** The reduced costs of the links go to the triplets before them. */
  async distribute(): Promise<void> {
    await this.loop.step(this.steps.distribute);
    await this.loop.step(this.steps.settle);
  }

  /** The present multipliers and duals, which can be certified after `assign`. */
  async read(): Promise<DenseDuals> {
    const { graph, n } = this;
    const { work } = this.laps;
    const [bytes] = await readStorage(work.session, [work.buffer("multipliers")]);
    const dense = new Float32Array(bytes);
    const v = Float64Array.from({ length: graph.links }, (_, e) => dense[denseIndex(graph, n, e)]);
    const duals = await this.laps.read();
    const rowDual = new Float64Array(graph.frameStart[graph.frames]);
    const columnDual = new Float64Array(rowDual.length);
    rowDual.set(duals.rowDual);
    columnDual.set(duals.columnDual, n);
    return { v, rowDual, columnDual };
  }

  destroy(): void {
    this.laps.destroy();
  }
}

function cutTriples(session: GpuSession, n: number, triples: number, most: number): Chunk[] {
  const sizes = Array.from({ length: triples }, () => n ** 3);
  const [, end] = splitByBinding(session, "the triplets of frame triple", sizes);
  const fitting = Math.min(triples, end, most);
  return Array.from({ length: triples > 0 ? Math.ceil(triples / fitting) : 0 }, (_, c) => {
    const first = c * fitting;
    const bound = { chunk: `chunk ${c}`, triplets: `triplets ${c}` };
    return { first, count: Math.min(fitting, triples - first), bound };
  });
}
