/** The auctions of fixed-point.ts on a GPU; lab/sorting/fixed-auction.ts is their twin. */
import { InputError } from "../../core/errors.js";
import type { GpuSession } from "../../gpu/session.js";
import { UploadArea } from "../../gpu/upload-area.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import { type Part, Workspace } from "../../gpu/workspace.js";
import type { FixedAnswer, FixedProblem } from "./fixed-point.js";

export interface GpuAuctionAnswer extends FixedAnswer {
  /**
   * All rounds in one workgroup; or where the objects do not fit one, a few kernels for each round, with an object's price and owner
   * packed into one word or, where they do not fit one, in two.
   */
  readonly ran: "workgroup" | "packed" | "pair";
}

/** Bytes of workgroup memory beside the objects' words: for a kernel's few variables, and three words of each thread for its choice. */
const BESIDE_WORDS = 64;
const OF_THREAD = 12;
const MOST_OBJECTS = 8192;
const ALONE = 0xffffffff;
/** Rounds of one submission: in most frames all are settled after one, and the second is the test. */
const ROUNDS_PER_SUBMIT = 2;
/** Room for larger frames to come. */
const GROWTH = 2;

/** Buffers that last from round to round where each round has kernels, with the numbers for each object or person; `answer` is read back. */
const BOARDS = {
  packed: { ofObjects: { raised: 1, word: 1 }, ofPersons: {}, answer: ["word"] },
  pair: { ofObjects: { price: 1, owner: 1, bids: 2 }, ofPersons: { offer: 1 }, answer: ["price", "owner"] },
} as const;

export class GpuAuction {
  readonly #work: Workspace;
  readonly #upload: UploadArea;

  private constructor(
    readonly session: GpuSession,
    readonly kernels: Readonly<Record<string, Kernel>>,
    /** Objects that fit a workgroup. */
    readonly capacity: number,
  ) {
    this.#work = new Workspace(session, "auction");
    this.#upload = new UploadArea(this.#work, "auction frame");
  }

  /** @param workgroup the kernel that runs all rounds in one workgroup, instead of the program's; then there is no other way to run them */
  static async create(session: GpuSession, workgroup?: URL): Promise<GpuAuction> {
    const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupStorageSize } = session.device.limits;
    // A software device runs the threads one after the other.
    const most = session.description.kind === "software" ? 64 : 1024;
    const threads = Math.min(most, maxComputeInvocationsPerWorkgroup);
    const forWords = maxComputeWorkgroupStorageSize - BESIDE_WORDS - OF_THREAD * threads;
    const capacity = Math.min(MOST_OBJECTS, Math.floor(forWords / 4));
    const constants = { THREADS: threads, CAPACITY: capacity };
    const beside = (name: string) => new URL(`./kernels/${name}.wgsl`, import.meta.url);
    const kernels: Record<string, Kernel> = {
      workgroup: await loadKernel(session, workgroup ?? beside("workgroup"), { constants }),
    };
    const ofRounds = ["bid-packed", "assign-packed", "bid-pair", "claim-pair", "assign-pair"];
    for (const name of workgroup === undefined ? ofRounds : []) kernels[name] = await loadKernel(session, beside(name));
    return new GpuAuction(session, kernels, capacity);
  }

  /**
   * @throws InputError for more persons or objects than the device has workgroups, and for objects that do not fit one workgroup where a kernel was
   * given to `create`
   */
  async solve(problem: FixedProblem, mostRounds: number): Promise<GpuAuctionAnswer> {
    const { persons, objects, packing } = problem;
    const { mostGroups } = this.session;
    if (persons > mostGroups || objects > mostGroups) {
      throw new InputError(`auction: ${persons} × ${objects} is more than ${mostGroups} on a side; use jv`);
    }
    if (persons === 0 || objects === 0) {
      const objectOfPerson = new Int32Array(persons).fill(-1);
      const rounds = persons > 0 && mostRounds > 0 ? 1 : 0;
      return { status: "done", objectOfPerson, price: new Uint32Array(objects), rounds, ran: "workgroup" };
    }
    const ran = packing.words === 2 ? "pair" : objects <= this.capacity ? "workgroup" : "packed";
    const { workgroup } = this.kernels;
    if (ran !== "workgroup" && this.kernels[`bid-${ran}`] === undefined) {
      throw new InputError(
        `auction: ${workgroup.name} holds up to ${this.capacity} objects of one word each, not ${objects} of ${packing.words}; use another board`,
      );
    }
    this.#write(problem, mostRounds);
    return ran === "workgroup" ? await this.#inOneWorkgroup(problem) : await this.#inRounds(problem, mostRounds, ran);
  }

  destroy(): void {
    this.#work.destroy();
    this.#upload.destroy();
  }

  #write(problem: FixedProblem, mostRounds: number): void {
    const { persons, objects, reach, epsilon, packing, rowStart, candidate } = problem;
    const sizes = { persons, objects, reach, epsilon, idBits: packing.idBits, mostRounds };
    // All kernels import it.
    const frame = this.kernels.workgroup.struct("Frame").pack([sizes]);
    this.#upload.write({ frame, personAt: problem.person, objectAt: problem.object, rowStart, candidate });
    this.#work.storage("wanted", persons, GROWTH);
  }

  async #inOneWorkgroup({ persons, objects }: FixedProblem): Promise<GpuAuctionAnswer> {
    const work = this.#work;
    work.storage("offer", persons, GROWTH);
    work.storage("answer", persons + objects + 2, GROWTH);
    return await work.run(
      (encoder) => work.record(encoder, [{ kernel: this.kernels.workgroup, groups: [1] }]),
      [{ name: "answer", bytes: 4 * (persons + objects + 2) }],
      ([answer]) => {
        const [rounds, done] = answer.subarray(persons + objects);
        return {
          status: done === 1 ? "done" : "capped",
          objectOfPerson: new Int32Array(answer.slice(0, persons).buffer),
          price: answer.slice(persons, persons + objects),
          rounds,
          ran: "workgroup",
        };
      },
    );
  }

  async #inRounds(problem: FixedProblem, mostRounds: number, ran: "packed" | "pair"): Promise<GpuAuctionAnswer> {
    const { persons, objects } = problem;
    const work = this.#work;
    const board = BOARDS[ran];
    for (const [name, words] of Object.entries(board.ofObjects)) work.storage(name, words * objects, GROWTH);
    for (const [name, words] of Object.entries(board.ofPersons)) work.storage(name, words * persons, GROWTH);
    work.storage("progress", 3);
    const fresh = ["wanted", "progress", ...Object.keys(board.ofObjects), ...Object.keys(board.ofPersons)];
    const parts: Part[] = [{ name: "progress" }, { name: "wanted", bytes: 4 * persons }];
    for (const name of board.answer) parts.push({ name, bytes: 4 * objects });
    const steps = ["bid", "claim", "assign"].flatMap((part) => {
      const kernel = this.kernels[`${part}-${ran}`] as Kernel | undefined;
      if (kernel === undefined) return [];
      const threads = part === "assign" ? objects : persons;
      return [{ kernel, groups: [Math.ceil(threads / kernel.workgroupSize[0])] as const }];
    });
    for (let begun = 0; ; ) {
      // One more round than is allowed, of which only the test is used.
      const count = Math.min(ROUNDS_PER_SUBMIT, mostRounds - begun + 1);
      const answer = await work.run(
        (encoder) => {
          if (begun === 0) work.clear(encoder, fresh);
          work.record(encoder, Array.from({ length: count }, () => steps).flat());
        },
        parts,
        ([[, rounds, done], ...words]) => {
          if (done === 1) return { status: "done" as const, ...matching(problem, words), rounds, ran };
          const none = { objectOfPerson: new Int32Array(persons).fill(-1), price: new Uint32Array(objects) };
          return { status: "capped" as const, ...none, rounds: rounds - 1, ran };
        },
      );
      begun += count;
      if (answer.status === "done" || begun > mostRounds) return answer;
    }
  }
}

/** A person has the object that it last bid on, if that object has this owner. */
function matching(
  { persons, objects, packing: { idBits } }: FixedProblem,
  [wanted, first, owner]: readonly Uint32Array[],
): { objectOfPerson: Int32Array; price: Uint32Array } {
  const objectOfPerson = new Int32Array(persons).fill(-1);
  const price = new Uint32Array(objects);
  const mask = 2 ** idBits - 1;
  for (let j = 0; j < objects; j++) price[j] = owner === undefined ? first[j] >>> idBits : first[j];
  for (let i = 0; i < persons; i++) {
    if (wanted[i] === 0 || wanted[i] === ALONE) continue;
    const j = wanted[i] - 1;
    if ((owner === undefined ? first[j] & mask : owner[j] - 1) === i) objectOfPerson[i] = j;
  }
  return { objectOfPerson, price };
}
