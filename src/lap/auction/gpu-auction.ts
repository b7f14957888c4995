/** The auctions of fixed-point.ts on a GPU, in the paper's steps; fixed-auction.ts is their twin. */
import { InputError } from "../../core/errors.js";
import { createStorage, readStorage, uploadStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { UploadArea } from "../../gpu/upload-area.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { StructLayout } from "../../gpu/wgsl/struct-layout.js";
import type { FixedAnswer, FixedProblem } from "./fixed-point.js";
import type { AuctionForm } from "./problem.js";

/**
 * Where the bids of a round are kept (Maier et al. 2019, §3.2 and §5):
 *
 *     matrix    (a) persons × objects numbers
 *     lock      (b) the highest bid on each object and its bidder, with a lock
 *     packed    (c) one word an object, bid above bidder, raised by one atomicMax; `pair` where that does not fit 32 bits
 *     workgroup (d) (c) with bids, assignment and test in one workgroup, or as (c) where the objects do not fit one
 */
export const BOARDS = ["matrix", "lock", "packed", "workgroup"] as const;
export type Board = (typeof BOARDS)[number];

/** Whether the host asks after each round if all persons are settled, as in the paper, or submits many rounds at a time. */
export type Loop = "host" | "submit";

export interface GpuAuctionOptions {
  readonly board: Board;
  readonly form: AuctionForm;
  readonly loop?: Loop;
  /** Rounds of one submission, where the loop is not the host's [2 of the list, one of them the test; 32 of the dense form]. */
  readonly roundsPerSubmit?: number;
  /** Threads of the workgroup of (d) [1024, or what the device has; 64 in software, which runs them one after the other]. */
  readonly threads?: number;
}

export interface GpuAuctionAnswer extends FixedAnswer {
  /** The variant that ran: `pair` or `packed` replaces the one that was asked for where that does not fit. */
  readonly ran: "matrix" | "lock" | "packed" | "pair" | "workgroup";
  /** 32-bit words of bids, prices and owners. */
  readonly words: number;
}

const THREADS = 64;
const NOBODY = 0xffffffff;
const ALONE = 0xfffffffe;

type Buffers = Record<string, GPUBuffer>;

export class GpuAuction {
  readonly #buffers: Buffers = {};
  readonly #layout: StructLayout;
  readonly #upload: UploadArea;
  #none: GPUBuffer | null = null;
  #uploaded: Readonly<Record<string, GPUBufferBinding>> = {};
  /** Of each kernel, as long as the buffers stay. */
  readonly #bound = new Map<Kernel, GPUBindGroup>();

  private constructor(
    readonly session: GpuSession,
    readonly options: Required<Omit<GpuAuctionOptions, "threads">>,
    readonly kernels: Readonly<Record<string, Kernel>>,
    /** Objects that fit a workgroup. */
    readonly capacity: number,
  ) {
    // All kernels import it.
    this.#layout = Object.values(kernels)[0].struct("Frame");
    this.#upload = new UploadArea(session, "auction frame");
  }

  static async create(session: GpuSession, options: GpuAuctionOptions): Promise<GpuAuction> {
    const { board, form } = options;
    const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupStorageSize } = session.device.limits;
    const most = options.threads ?? (session.description.kind === "software" ? 64 : 1024);
    const threads = Math.min(most, maxComputeInvocationsPerWorkgroup);
    // Three words a thread for its choice, and a few more.
    const capacity = Math.min(8192, Math.floor((maxComputeWorkgroupStorageSize - 12 * threads - 64) / 4));
    const load = (name: string, constants = {}) =>
      loadKernel(session, new URL(`./kernels/${name}.wgsl`, import.meta.url), { constants });
    const kernels: Record<string, Kernel> = {};
    const boards = board === "packed" || board === "workgroup" ? ["packed", "pair"] : [board];
    for (const name of boards) {
      kernels[`bid-${name}`] = await load(`${form}-${name}`);
      kernels[`assign-${name}`] = await load(`assign-${name}`);
    }
    if (boards.includes("pair")) kernels["claim-pair"] = await load("claim-pair");
    if (board === "workgroup") kernels.all = await load(`workgroup-${form}`, { THREADS: threads, CAPACITY: capacity });
    return new GpuAuction(
      session,
      { loop: "submit", roundsPerSubmit: form === "list" ? 2 : 32, ...options },
      kernels,
      capacity,
    );
  }

  /** @throws InputError for a problem of the other form, or of more persons than the device has workgroups */
  async solve(problem: FixedProblem, mostRounds: number): Promise<GpuAuctionAnswer> {
    const { persons, objects, packing, form } = problem;
    if (form !== this.options.form) throw new InputError(`auction: a ${form} problem for ${this.options.form} kernels`);
    const { mostGroups } = this.session;
    if (persons > mostGroups || objects > mostGroups) {
      throw new InputError(`auction: ${persons} × ${objects} is more than ${mostGroups} on a side; use jv`);
    }
    if (persons === 0 || objects === 0) {
      const objectOfPerson = new Int32Array(persons).fill(-1);
      const rounds = persons > 0 && form === "list" && mostRounds > 0 ? 1 : 0;
      return { status: "done", objectOfPerson, price: new Uint32Array(objects), rounds, ran: "packed", words: 0 };
    }
    this.#write(problem, mostRounds);
    const { board } = this.options;
    if (board === "workgroup" && packing.words === 1 && objects <= this.capacity)
      return await this.#inOneWorkgroup(problem);
    const packed = board === "packed" || board === "workgroup";
    return await this.#inRounds(problem, mostRounds, packed ? (packing.words === 1 ? "packed" : "pair") : board);
  }

  destroy(): void {
    for (const buffer of Object.values(this.#buffers)) buffer.destroy();
    this.#upload.destroy();
    this.#none?.destroy();
  }

  #write(
    { person, object, start, candidate, persons, objects, reach, epsilon, packing }: FixedProblem,
    most: number,
  ): void {
    const sizes = { persons, objects, reach, epsilon, id_bits: packing.idBits, most_rounds: most };
    const frame = this.#layout.pack([sizes]);
    const uploaded = this.#upload.write({ frame, person_at: person, object_at: object, start, candidate });
    if (uploaded !== this.#uploaded) this.#bound.clear();
    this.#uploaded = uploaded;
    this.#buffer("wanted", persons);
  }

  /** A buffer of at least so many numbers, which still holds old ones. */
  #buffer(name: string, length: number): GPUBuffer {
    const known = this.#buffers[name];
    if (known !== undefined && known.size >= 4 * length) return known;
    known?.destroy();
    this.#bound.clear();
    // Room for larger frames to come, as far as the device can bind it.
    const most = Math.floor(this.session.device.limits.maxStorageBufferBindingSize / 4);
    const roomy = Math.max(length, Math.min(2 ** Math.ceil(Math.log2(Math.max(4, length))), most));
    const made = createStorage(this.session, `auction ${name}`, roomy);
    this.#buffers[name] = made;
    return made;
  }

  #bind(kernel: Kernel): GPUBindGroup {
    let group = this.#bound.get(kernel);
    if (group === undefined) {
      group = kernel.bind({}, { ...this.#buffers, ...this.#uploaded });
      this.#bound.set(kernel, group);
    }
    return group;
  }

  async #inOneWorkgroup({ persons, objects }: FixedProblem): Promise<GpuAuctionAnswer> {
    const { device } = this.session;
    for (const name of ["offer", "queue"]) this.#buffer(name, persons);
    const answer = this.#buffer("answer", persons + objects + 2);
    const encoder = device.createCommandEncoder({ label: "auction" });
    const pass = encoder.beginComputePass({ label: "auction" });
    const kernel = this.kernels.all;
    kernel.dispatch(pass, this.#bind(kernel), 1);
    pass.end();
    const [bytes] = await readStorage(this.session, [answer], encoder);
    const numbers = new Uint32Array(bytes);
    const [rounds, done] = numbers.subarray(persons + objects, persons + objects + 2);
    return {
      status: done === 1 ? "done" : "capped",
      // NOBODY is −1 there.
      objectOfPerson: new Int32Array(bytes, 0, persons),
      price: numbers.slice(persons, persons + objects),
      rounds,
      ran: "workgroup",
      words: objects,
    };
  }

  async #inRounds(
    problem: FixedProblem,
    mostRounds: number,
    board: "matrix" | "lock" | "packed" | "pair",
  ): Promise<GpuAuctionAnswer> {
    const { persons, objects, form } = problem;
    const { device } = this.session;
    const arrays = STORED[board](persons, objects);
    for (const [name, length] of Object.entries(arrays)) this.#buffer(name, length);
    const progress = this.#buffer("progress", 3);
    const [bid, assign, claim] = ["bid", "assign", "claim"].map(
      (step) => this.kernels[`${step}-${board}`] as Kernel | undefined,
    );
    const groups = (count: number) => Math.ceil(count / THREADS);
    const steps = [
      { kernel: bid, size: form === "dense" ? persons : groups(persons) },
      { kernel: claim, size: groups(persons) },
      { kernel: assign, size: groups(objects) },
    ].flatMap(({ kernel, size }) => (kernel === undefined ? [] : [{ kernel, size, bound: this.#bind(kernel) }]));
    let encoder = device.createCommandEncoder({ label: "auction" });
    for (const name of [...Object.keys(arrays), "progress"]) encoder.clearBuffer(this.#buffers[name]);
    const nobody = this.#nobody(Math.max(persons, objects));
    encoder.copyBufferToBuffer(nobody, 0, this.#buffers.wanted, 0, 4 * persons);
    if (arrays.owner !== undefined) encoder.copyBufferToBuffer(nobody, 0, this.#buffers.owner, 0, 4 * objects);
    const results = [
      progress,
      this.#buffers.wanted,
      ...(board === "packed" ? [this.#buffers.word] : [this.#buffers.price, this.#buffers.owner]),
    ];
    const ofHost = this.options.loop === "host";
    for (let round = 0; ; ) {
      // One more round than is allowed, of which only the test is used.
      const count = ofHost ? 1 : Math.min(this.options.roundsPerSubmit, mostRounds - round + 1);
      const pass = encoder.beginComputePass({ label: "auction rounds" });
      for (let k = 0; k < count; k++) for (const { kernel, bound, size } of steps) kernel.dispatch(pass, bound, size);
      pass.end();
      round += count;
      const parts = await readStorage(this.session, ofHost ? [progress] : results, encoder);
      const [, rounds, done] = new Uint32Array(parts[0]);
      if (done === 0 && round <= mostRounds) {
        encoder = device.createCommandEncoder({ label: "auction" });
        continue;
      }
      if (done === 0) return this.#answer(problem, "capped", board, rounds, [], arrays);
      return this.#answer(
        problem,
        "done",
        board,
        rounds,
        ofHost ? await readStorage(this.session, results) : parts,
        arrays,
      );
    }
  }

  /** A buffer of so many numbers NOBODY, or more. */
  #nobody(length: number): GPUBuffer {
    if (this.#none === null || this.#none.size < 4 * length) {
      this.#none?.destroy();
      this.#none = uploadStorage(this.session, "auction nobody", new Uint32Array(2 * length).fill(NOBODY));
    }
    return this.#none;
  }

  #answer(
    { persons, objects, packing: { idBits } }: FixedProblem,
    status: FixedAnswer["status"],
    board: GpuAuctionAnswer["ran"],
    rounds: number,
    [, wantedBytes, first, second]: readonly ArrayBuffer[],
    arrays: Readonly<Record<string, number>>,
  ): GpuAuctionAnswer {
    const words = Object.entries(arrays).reduce((sum, [name, length]) => sum + (name === "offer" ? 0 : length), 0);
    const objectOfPerson = new Int32Array(persons).fill(-1);
    const price = new Uint32Array(objects);
    if (status === "capped") return { status, objectOfPerson, price, rounds: rounds - 1, ran: board, words };
    const standing = new Uint32Array(first);
    const owner = board === "packed" ? null : new Uint32Array(second);
    const mask = 2 ** idBits - 1;
    for (let j = 0; j < objects; j++) price[j] = owner === null ? standing[j] >>> idBits : standing[j];
    const wanted = new Uint32Array(wantedBytes);
    for (let i = 0; i < persons; i++) {
      const j = wanted[i];
      if (j < ALONE && (owner === null ? standing[j] & mask : owner[j]) === i) objectOfPerson[i] = j;
    }
    return { status, objectOfPerson, price, rounds, ran: board, words };
  }
}

/** Arrays of a board and their lengths. */
const STORED: Record<
  "matrix" | "lock" | "packed" | "pair",
  (persons: number, objects: number) => Record<string, number>
> = {
  matrix: (persons, objects) => ({ bids: persons * objects, price: objects, owner: objects }),
  lock: (_, objects) => ({ lock: objects, price: objects, owner: objects, highest: objects, bidder: objects }),
  packed: (_, objects) => ({ raised: objects, word: objects }),
  pair: (persons, objects) => ({ offer: persons, price: objects, owner: objects, highest: objects, bidder: objects }),
};
