/** The auctions of lap/auction/fixed-point.ts on a GPU in the paper's steps, with each of its ways to keep bids; forms.ts has their twins. */
import type { GpuSession } from "../../dist/gpu/session.js";
import { UploadArea } from "../../dist/gpu/upload-area.js";
import { type Kernel, loadKernel } from "../../dist/gpu/wgsl/kernel.js";
import { type Part, type Step, Workspace } from "../../dist/gpu/workspace.js";
import type { FixedAnswer, FixedProblem } from "../../dist/lap/auction/fixed-point.js";
import { GpuAuction } from "../../dist/lap/auction/gpu-auction.js";
import type { AuctionForm } from "./forms.js";

/**
 * Where the bids of a round are kept (Maier et al. 2019, §3.2 and §5):
 *
 *     matrix    (a) persons × objects numbers
 *     lock      (b) the highest bid on each object and its bidder, with a lock
 *     packed    (c) one word an object, bid above bidder, raised by one atomicMax; `pair` where that does not fit 32 bits
 *     workgroup (d) (c) with bids, assignment and test in one workgroup, which is the program's; or as (c) where the objects do not fit one
 */
export const BOARDS = ["matrix", "lock", "packed", "workgroup"] as const;
export type Board = (typeof BOARDS)[number];
type Stored = "matrix" | "lock" | "packed" | "pair";

/** Whether the host asks after each round if all persons are settled, as in the paper, or submits many rounds at a time. */
export type Loop = "host" | "submit";

export interface BoardOptions {
  readonly board: Board;
  readonly form: AuctionForm;
  readonly loop?: Loop;
  /** Rounds of one submission, where the loop is not the host's [2 of the list, one of them the test; 32 of the dense form]. */
  readonly roundsPerSubmit?: number;
}

export interface BoardAnswer extends FixedAnswer {
  /** The variant that ran: `pair` or `packed` replaces the one that was asked for where that does not fit. */
  readonly ran: Stored | "workgroup";
  /** 32-bit words of bids, prices and owners. */
  readonly words: number;
}

const OURS = new URL("../../lab/kernels/auction/", import.meta.url);
const PROGRAMS = new URL("../../dist/lap/auction/kernels/", import.meta.url);

/** The kernels of (d). */
export const WORKGROUP: Readonly<Record<AuctionForm, URL>> = {
  list: new URL("workgroup.wgsl", PROGRAMS),
  dense: new URL("workgroup-dense.wgsl", OURS),
};

/** The files of the kernels of one round. */
function filesOf(board: Stored, form: AuctionForm): Record<string, URL> {
  const packed = board === "packed" || board === "pair";
  const bid =
    packed && form === "list" ? new URL(`bid-${board}.wgsl`, PROGRAMS) : new URL(`${form}-${board}.wgsl`, OURS);
  const assign = new URL(`assign-${board}.wgsl`, packed ? PROGRAMS : OURS);
  return board === "pair" ? { bid, claim: new URL("claim-pair.wgsl", PROGRAMS), assign } : { bid, assign };
}

/** Arrays of a board and their lengths. */
const STORED: Record<Stored, (persons: number, objects: number) => Record<string, number>> = {
  matrix: (persons, objects) => ({ bids: persons * objects, price: objects, owner: objects }),
  lock: (_, objects) => ({ lock: objects, price: objects, owner: objects, highest: objects, bidder: objects }),
  packed: (_, objects) => ({ raised: objects, word: objects }),
  pair: (persons, objects) => ({ offer: persons, price: objects, owner: objects, bids: 2 * objects }),
};

const ALONE = 0xffffffff;
/** Room for larger frames to come. */
const GROWTH = 2;

export class BoardAuction {
  readonly #work: Workspace;
  readonly #upload: UploadArea;

  private constructor(
    readonly options: Required<BoardOptions>,
    /** Of a round, by board and step. */
    readonly kernels: Readonly<Record<string, Readonly<Record<string, Kernel>>>>,
    readonly oneWorkgroup: GpuAuction | null,
    session: GpuSession,
  ) {
    this.#work = new Workspace(session, "auction");
    this.#upload = new UploadArea(this.#work, "auction frame");
  }

  static async create(session: GpuSession, options: BoardOptions): Promise<BoardAuction> {
    const { board, form } = options;
    const kernels: Record<string, Record<string, Kernel>> = {};
    const boards: Stored[] = board === "packed" || board === "workgroup" ? ["packed", "pair"] : [board];
    for (const name of boards) {
      kernels[name] = {};
      for (const [step, file] of Object.entries(filesOf(name, form)))
        kernels[name][step] = await loadKernel(session, file);
    }
    const oneWorkgroup = board === "workgroup" ? await GpuAuction.create(session, WORKGROUP[form]) : null;
    const roundsPerSubmit = form === "list" ? 2 : 32;
    return new BoardAuction({ loop: "submit", roundsPerSubmit, ...options }, kernels, oneWorkgroup, session);
  }

  async solve(problem: FixedProblem, mostRounds: number): Promise<BoardAnswer> {
    const { persons, objects, packing } = problem;
    const { board, form } = this.options;
    if (persons === 0 || objects === 0) {
      const objectOfPerson = new Int32Array(persons).fill(-1);
      const rounds = persons > 0 && form === "list" && mostRounds > 0 ? 1 : 0;
      return { status: "done", objectOfPerson, price: new Uint32Array(objects), rounds, ran: "packed", words: 0 };
    }
    if (this.oneWorkgroup !== null && packing.words === 1 && objects <= this.oneWorkgroup.capacity) {
      return { ...(await this.oneWorkgroup.solve(problem, mostRounds)), words: objects };
    }
    const ran = board === "matrix" || board === "lock" ? board : packing.words === 1 ? "packed" : "pair";
    return await this.#inRounds(problem, mostRounds, ran);
  }

  destroy(): void {
    this.oneWorkgroup?.destroy();
    this.#work.destroy();
    this.#upload.destroy();
  }

  async #inRounds(problem: FixedProblem, mostRounds: number, ran: Stored): Promise<BoardAnswer> {
    const { persons, objects } = problem;
    const work = this.#work;
    const lengths = { ...STORED[ran](persons, objects), wanted: persons, progress: 3 };
    this.#write(problem, mostRounds, this.kernels[ran].bid);
    for (const [name, length] of Object.entries(lengths)) work.storage(name, length, GROWTH);
    const { offer: _, wanted: __, progress: ___, ...counted }: Record<string, number> = lengths;
    const words = Object.values(counted).reduce((sum, length) => sum + length, 0);
    const steps = this.#steps(problem, ran);
    const progress: Part = { name: "progress", bytes: 12 };
    const stored = ran === "packed" ? ["word"] : ["price", "owner"];
    const results = [{ name: "wanted", bytes: 4 * persons }, ...stored.map((name) => ({ name, bytes: 4 * objects }))];
    const ofHost = this.options.loop === "host";
    const matched = (parts: readonly Uint32Array[]) => matching(problem, parts);
    for (let begun = 0; ; ) {
      // One more round than is allowed, of which only the test is used.
      const count = ofHost ? 1 : Math.min(this.options.roundsPerSubmit, mostRounds - begun + 1);
      const { rounds, done, found } = await work.run(
        (encoder) => {
          if (begun === 0) work.clear(encoder, Object.keys(lengths));
          work.record(encoder, Array.from({ length: count }, () => steps).flat());
        },
        ofHost ? [progress] : [progress, ...results],
        ([[, rounds, done], ...parts]) => ({ rounds, done, found: done === 1 && !ofHost ? matched(parts) : null }),
      );
      begun += count;
      if (done === 1)
        return { status: "done", ...(found ?? (await work.run(() => {}, results, matched))), rounds, ran, words };
      if (begun <= mostRounds) continue;
      const none = { objectOfPerson: new Int32Array(persons).fill(-1), price: new Uint32Array(objects) };
      return { status: "capped", ...none, rounds: rounds - 1, ran, words };
    }
  }

  #write({ person, object, rowStart, candidate, ...problem }: FixedProblem, mostRounds: number, kernel: Kernel): void {
    const { persons, objects, reach, epsilon, packing } = problem;
    const sizes = { persons, objects, reach, epsilon, idBits: packing.idBits, mostRounds };
    const frame = kernel.struct("Frame").pack([sizes]);
    this.#upload.write({ frame, personAt: person, objectAt: object, rowStart, candidate });
  }

  /** The dispatches of a round. A dense bid takes a workgroup for each person. */
  #steps({ persons, objects }: FixedProblem, ran: Stored): Step[] {
    return Object.entries(this.kernels[ran]).map(([step, kernel]) => {
      const threads = step === "assign" ? objects : persons;
      const dense = step === "bid" && this.options.form === "dense";
      return { kernel, groups: [dense ? persons : Math.ceil(threads / kernel.workgroupSize[0])] };
    });
  }
}

/** A person has the object that it last bid on, if that object has this owner. */
function matching(
  { persons, objects, packing: { idBits } }: FixedProblem,
  [wanted, first, owner]: readonly Uint32Array[],
): { objectOfPerson: Int32Array; price: Uint32Array } {
  const objectOfPerson = new Int32Array(persons).fill(-1);
  const price = Uint32Array.from({ length: objects }, (_, j) => (owner === undefined ? first[j] >>> idBits : first[j]));
  const mask = 2 ** idBits - 1;
  for (let i = 0; i < persons; i++) {
    if (wanted[i] === 0 || wanted[i] === ALONE) continue;
    const j = wanted[i] - 1;
    if ((owner === undefined ? first[j] & mask : owner[j] - 1) === i) objectOfPerson[i] = j;
  }
  return { objectOfPerson, price };
}
