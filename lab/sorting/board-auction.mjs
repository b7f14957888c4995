/** The auctions of Maier et al. 2019 on a GPU in every way that was compared; the program runs one of them, GpuAuction. */
import { InputError } from "../../dist/core/errors.js";
import { UploadArea } from "../../dist/gpu/upload-area.js";
import { loadKernel } from "../../dist/gpu/wgsl/kernel.js";
import { Workspace } from "../../dist/gpu/workspace.js";

/**
 * Where the bids of a round are kept (Maier et al. 2019, §3.2 and §5):
 *
 *     matrix    (a) persons × objects numbers
 *     lock      (b) the highest bid on each object and its bidder, with a lock
 *     packed    (c) one word an object, bid above bidder, raised by one atomicMax; `pair` where that does not fit 32 bits
 *     workgroup (d) (c) with bids, assignment and test in one workgroup, or as (c) where the objects do not fit one
 */
export const BOARDS = ["matrix", "lock", "packed", "workgroup"];

/** Arrays of a board and their lengths. */
const STORED = {
  matrix: (persons, objects) => ({ bids: persons * objects, price: objects, owner: objects }),
  lock: (_, objects) => ({ lock: objects, price: objects, owner: objects, highest: objects, bidder: objects }),
  packed: (_, objects) => ({ raised: objects, word: objects }),
  pair: (persons, objects) => ({ offer: persons, price: objects, owner: objects, highest: objects, bidder: objects }),
};
const GROWTH = 2;
const ALONE = 0xffffffff;

/** Kernels that the program has, too, are its own files. */
function fileOf(part, board, form) {
  const isPrograms = (board === "packed" || board === "pair") && !(part === "bid" && form === "dense");
  const name = part === "bid" && !isPrograms ? `${form}-${board}` : `${part}-${board}`;
  const folder = isPrograms ? "../../dist/lap/auction/kernels" : "../kernels/auction";
  return new URL(`${folder}/${name}.wgsl`, import.meta.url);
}

export class BoardAuction {
  #uploaded = {};

  constructor(session, options, kernels, capacity) {
    this.session = session;
    this.options = options;
    this.kernels = kernels;
    /** Objects that fit a workgroup. */
    this.capacity = capacity;
    this.work = new Workspace(session, "auction");
    this.upload = new UploadArea(session, "auction frame");
  }

  /**
   * @param session of the device
   * @param {{ board: string, form: string, loop?: string, roundsPerSubmit?: number, threads?: number }} options `loop`: whether the "host" asks
   * after each round if all persons are settled, as in the paper, or it submits several rounds at a time ["submit"]: 2 of the list, one of them the
   * test, and 32 of the dense form. `threads` of the workgroup of (d): 1024, or what the device has; 64 in software, which runs them one after the other
   */
  static async create(session, { board, form, loop = "submit", ...options }) {
    const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupStorageSize } = session.device.limits;
    const most = options.threads ?? (session.description.kind === "software" ? 64 : 1024);
    const threads = Math.min(most, maxComputeInvocationsPerWorkgroup);
    // Three words a thread for its choice, and a few more.
    const capacity = Math.min(8192, Math.floor((maxComputeWorkgroupStorageSize - 12 * threads - 64) / 4));
    const kernels = {};
    const boards = board === "packed" || board === "workgroup" ? ["packed", "pair"] : [board];
    for (const name of boards) {
      for (const part of name === "pair" ? ["bid", "claim", "assign"] : ["bid", "assign"]) {
        kernels[`${part}-${name}`] = await loadKernel(session, fileOf(part, name, form));
      }
    }
    if (board === "workgroup") {
      const file = form === "dense" ? "../kernels/auction/workgroup-dense" : "../../dist/lap/auction/kernels/workgroup";
      const constants = { THREADS: threads, CAPACITY: capacity };
      kernels.all = await loadKernel(session, new URL(`${file}.wgsl`, import.meta.url), { constants });
    }
    const roundsPerSubmit = options.roundsPerSubmit ?? (form === "list" ? 2 : 32);
    return new BoardAuction(session, { board, form, loop, roundsPerSubmit }, kernels, capacity);
  }

  /** As GpuAuction.solve; also the 32-bit words of bids, prices and owners. @throws InputError for more persons than the device has workgroups */
  async solve(problem, mostRounds) {
    const { persons, objects, packing } = problem;
    const { board, form } = this.options;
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
    if (board === "workgroup" && packing.words === 1 && objects <= this.capacity) {
      return await this.#inOneWorkgroup(problem);
    }
    const packed = board === "packed" || board === "workgroup";
    return await this.#inRounds(problem, mostRounds, packed ? (packing.words === 1 ? "packed" : "pair") : board);
  }

  destroy() {
    this.work.destroy();
    this.upload.destroy();
  }

  #write(problem, mostRounds) {
    const { persons, objects, reach, epsilon, packing, start, candidate } = problem;
    const sizes = { persons, objects, reach, epsilon, idBits: packing.idBits, mostRounds };
    const [kernel] = /** @type {any[]} */ (Object.values(this.kernels));
    const frame = kernel.struct("Frame").pack([sizes]);
    const arrays = { frame, personAt: problem.person, objectAt: problem.object, start, candidate };
    const uploaded = this.upload.write(arrays);
    if (uploaded !== this.#uploaded) for (const [name, one] of Object.entries(uploaded)) this.work.lend(name, one);
    this.#uploaded = uploaded;
    this.work.storage("wanted", persons, GROWTH);
  }

  async #inOneWorkgroup({ persons, objects }) {
    const { work } = this;
    for (const name of ["offer", "queue"]) work.storage(name, persons, GROWTH);
    work.storage("answer", persons + objects + 2, GROWTH);
    return await work.run(
      (encoder) => work.record(encoder, [{ kernel: this.kernels.all, groups: [1] }]),
      [{ name: "answer", bytes: 4 * (persons + objects + 2) }],
      ([answer]) => {
        const [rounds, done] = answer.subarray(persons + objects);
        return {
          status: done === 1 ? "done" : "capped",
          objectOfPerson: Int32Array.from(answer.subarray(0, persons)),
          price: answer.slice(persons, persons + objects),
          rounds,
          ran: "workgroup",
          words: objects,
        };
      },
    );
  }

  async #inRounds(problem, mostRounds, ran) {
    const { persons, objects } = problem;
    const { work } = this;
    const { loop, roundsPerSubmit, form } = this.options;
    const arrays = STORED[ran](persons, objects);
    for (const [name, length] of Object.entries(arrays)) work.storage(name, length, GROWTH);
    work.storage("progress", 3);
    const steps = ["bid", "claim", "assign"].flatMap((part) => {
      const kernel = this.kernels[`${part}-${ran}`];
      if (kernel === undefined) return [];
      const threads = part === "assign" ? objects : persons;
      const groups = part === "bid" && form === "dense" ? persons : Math.ceil(threads / kernel.workgroupSize[0]);
      return [{ kernel, groups: /** @type {const} */ ([groups]) }];
    });
    const progress = { name: "progress" };
    const results = [
      { name: "wanted", bytes: 4 * persons },
      ...(ran === "packed" ? ["word"] : ["price", "owner"]).map((name) => ({ name, bytes: 4 * objects })),
    ];
    const words = Object.entries(arrays).reduce((sum, [name, length]) => sum + (name === "offer" ? 0 : length), 0);
    const matched = (parts) => ({ status: "done", ...matching(problem, parts), ran, words });
    for (let begun = 0; ; ) {
      // One more round than is allowed, of which only the test is used.
      const count = loop === "host" ? 1 : Math.min(roundsPerSubmit, mostRounds - begun + 1);
      const isFirst = begun === 0;
      const { rounds, done, answer } = await work.run(
        (encoder) => {
          if (isFirst) work.clear(encoder, ["wanted", "progress", ...Object.keys(arrays)]);
          work.record(encoder, Array.from({ length: count }, () => steps).flat());
        },
        loop === "host" ? [progress] : [progress, ...results],
        ([[, rounds, done], ...parts]) => ({
          rounds,
          done,
          answer: loop === "host" || done === 0 ? null : matched(parts),
        }),
      );
      begun += count;
      if (done === 1) return { ...(answer ?? (await work.run(() => {}, results, matched))), rounds };
      if (begun <= mostRounds) continue;
      const objectOfPerson = new Int32Array(persons).fill(-1);
      return { status: "capped", objectOfPerson, price: new Uint32Array(objects), rounds: rounds - 1, ran, words };
    }
  }
}

/** A person has the object that it last bid on, if that object has this owner. */
function matching({ persons, objects, packing: { idBits } }, [wanted, first, owner]) {
  const mask = 2 ** idBits - 1;
  const price = Uint32Array.from({ length: objects }, (_, j) => (owner === undefined ? first[j] >>> idBits : first[j]));
  const objectOfPerson = Int32Array.from({ length: persons }, (_, i) => {
    if (wanted[i] === 0 || wanted[i] === ALONE) return -1;
    const j = wanted[i] - 1;
    return (owner === undefined ? first[j] & mask : owner[j] - 1) === i ? j : -1;
  });
  return { objectOfPerson, price };
}
