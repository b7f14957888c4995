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
import { type Step, Workspace } from "../../gpu/workspace.js";
import { tripletCostText } from "../../map/gpu/gpu-kernels.js";
import type { Graph, ImplicitTriplets } from "../../map/instance/instance.js";
import { denseIndex, denseLinks, denseTriplets, GATED, linkPlaces, NO_LINK, squareSize } from "./dense-costs.js";
import { HostLoop } from "./host-loop.js";
import { HostHungarian } from "./hungarian.js";

/** Frame triples whose triplets share a buffer below the binding limit. */
interface Chunk {
  readonly first: number;
  readonly count: number;
  /** What kernels call `chunk` and `triplets`. */
  readonly bound: { readonly chunk: string; readonly triplets: string };
}

export class DenseAscent {
  private constructor(
    private readonly work: Workspace,
    private readonly graph: Graph,
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
    return await session.scoped("dense ascent", () => {
      const work = new Workspace(session, "dense ascent");
      const chunkOf = (first: number) => work.constant(yLsap.struct("Chunk"), { n, first });
      const chunks = cutTriples(session, n, triples, mostTriples).map(({ first, count }, c): Chunk => {
        work.storage(`Y ${c}`, count * n ** 3);
        return { first, count, bound: { chunk: chunkOf(first), triplets: `Y ${c}` } };
      });
      work.storage("least", triples * n * n);
      work.storage("multipliers", pairs * n * n);
      work.storage("report", 1);
      work.lend("links", { buffer: laps.matrix });
      const per = (kernel: Kernel): Step[] =>
        chunks.map(({ count, bound }) => ({ kernel, groups: [n, n, count], bound }));
      const settling: Step = { kernel: settle, groups: [n, triples], bound: { chunk: chunkOf(0) } };
      const steps = {
        yLsap: per(yLsap),
        carry: per(carry),
        distribute: per(distribute),
        settle: triples > 0 ? [settling] : [],
      };
      return new DenseAscent(work, graph, n, laps, chunks, new HostLoop(work, "report"), steps);
    });
  }

  /** Host waits so far, those of the LAPs included. */
  get waits(): number {
    return this.loop.steps + this.laps.steps;
  }

  /** The costs of the instance, and multipliers and duals of 0. */
  async reset(): Promise<void> {
    const { work, n, graph } = this;
    this.laps.write(denseLinks(graph, n));
    await work.submit((encoder) => work.clear(encoder, ["multipliers"]));
    if (graph.triplets.kind === "implicit") await this.priceTriplets(graph.triplets);
    else this.uploadTriplets();
    await work.session.finished();
  }

  /** Computes Y from the numbers of the links. */
  private async priceTriplets({ rule, perEdge }: ImplicitTriplets): Promise<void> {
    const { work, n, graph } = this;
    const { session } = work;
    const kernel = await loadKernel(session, new URL("./price-triplets.wgsl", import.meta.url), {
      constants: { GATED, NO_LINK },
      texts: { "triplet-cost": tripletCostText(rule) },
    });
    await session.scoped("prices of triplets", async () => {
      work.upload("linkAt", linkPlaces(graph, n));
      work.upload("perEdge", Float32Array.from(perEdge));
      const steps = this.chunks.map(({ count, bound }): Step => ({ kernel, groups: [n, n, count], bound }));
      await work.submit((encoder) => work.record(encoder, steps, "prices of triplets"));
      await session.finished();
    });
  }

  /** Stored costs have no formula, so the host writes them into the dense array. */
  private uploadTriplets(): void {
    const { work, n, graph } = this;
    const dense = new Float32Array(n ** 3);
    for (const { first, count, bound } of this.chunks) {
      for (let p = 0; p < count; p++) {
        const triplets = denseTriplets(graph, n, first + p, dense);
        writeStorage(work.session, work.buffer(bound.triplets), triplets, p * n ** 3);
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

  /** The present v by edge, α of detections as rows and β of detections as columns, which can be certified after `assign`. */
  async read() {
    const { graph, n } = this;
    const [bytes] = await readStorage(this.work.session, [this.work.buffer("multipliers")]);
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
    this.loop.destroy();
    this.work.destroy();
  }
}

function cutTriples(session: GpuSession, n: number, triples: number, most: number): Pick<Chunk, "first" | "count">[] {
  const sizes = Array.from({ length: triples }, () => n ** 3);
  const starts = splitByBinding(session, "the triplets of frame triple", sizes);
  const fitting = Math.min(triples, starts[1], most);
  const cuts = Array.from({ length: triples > 0 ? Math.ceil(triples / fitting) : 0 }, (_, c) => c * fitting);
  return cuts.map((first) => ({ first, count: Math.min(fitting, triples - first) }));
}
