/** Chooses how a block Hungarian kernel runs a batch on a device, and with which constants. */
import { DeviceError } from "../../gpu/device-error.js";
import type { GpuSession } from "../../gpu/session.js";
import type { ImportTexts } from "../../gpu/wgsl/shader.js";

export interface KernelChoice {
  /** Default: subgroup where it fits, else wide where there are subgroups, else portable. The last two are one kernel with other reductions. */
  readonly path?: LapPath;
  /** Subgroups per workgroup of the subgroup path; fewer where they do not fit. */
  readonly teams?: number;
  /** Threads per workgroup of the wide and the portable path, a power of two. */
  readonly threads?: number;
  /** Auction rounds before the first search, in units of free rows per team. */
  readonly bidRounds?: number;
  /** Wide and portable path: of the seven arrays of a LAP's state, those in workgroup memory at most; the others are in storage. */
  readonly held?: number;
}

export type LapPath = "subgroup" | "wide" | "portable";

export interface KernelPlan {
  readonly path: LapPath;
  readonly file: URL;
  readonly texts: ImportTexts;
  readonly constants: Readonly<Record<string, number>>;
  /** Workgroups per dispatch at most; each takes the next LAP of its stride when it is done. */
  readonly workgroups: number;
  /** Length of the scratch buffer in words; 0 where the kernel has none. */
  readonly scratchWords: number;
}

const MOST_CHUNKS = 8;
/** The subgroup kernel keeps rows in 16 bits. */
const MOST_ROWS = 65535;
const PORTABLE_ARRAYS = 7;
/** Words of workgroup memory of what is agreed on, `Nearest` of agreed.wgsl, a thread or subgroup. */
const AGREED = 6;
/** Columns from which the portable path has more threads a LAP: a step of a search takes each through fewer of them. On an H200 64 LAPs of 2048² took 384 ms with 128 threads, 186 with 512, 166 with 1,024. */
const WIDE = 1024;
const STORAGE_WORKGROUPS = 512;
/** Measured on an H100: more teams search more paths at once, but their registers keep other LAPs off the multiprocessor. */
const DEFAULT_TEAMS = 4;
const DEFAULT_BID_ROUNDS = 3;
const MOST_COLUMNS = 65535;

/** @param rows, columns of the largest LAP of the batch. */
export function planKernel(
  session: GpuSession,
  rows: number,
  columns: number,
  laps: number,
  choice: KernelChoice = {},
): KernelPlan {
  const { path = "subgroup" } = choice;
  const subgroup = path === "subgroup" ? planSubgroup(session, rows, columns, choice) : null;
  if (subgroup !== null) return subgroup;
  if (choice.path === "subgroup") {
    throw new DeviceError(`the subgroup path of ${session.description.name} cannot hold LAPs of ${rows}×${columns}`);
  }
  return planPortable(session, rows, columns, laps, choice);
}

function planSubgroup(session: GpuSession, rows: number, columns: number, choice: KernelChoice): KernelPlan | null {
  const { limits } = session.device;
  const lanes = session.subgroupSize;
  if (lanes < 4 || lanes > 32) return null;
  const chunks = Math.ceil(columns / (4 * lanes));
  if (chunks > MOST_CHUNKS || rows > MOST_ROWS) return null;
  const width = 4 * chunks * lanes;
  // As tall as wide where that holds the rows, so that batches of similar size share a pipeline.
  const height = rows <= width ? width : 128 * Math.ceil(rows / 128);
  const bytes = (teams: number) => 4 * (4 * width + 3 * height + teams * (width / 2 + 3) + 16);
  let teams = choice.teams ?? DEFAULT_TEAMS;
  teams = Math.min(teams, Math.floor(limits.maxComputeInvocationsPerWorkgroup / lanes));
  while (teams > 0 && bytes(teams) > limits.maxComputeWorkgroupStorageSize) teams--;
  if (teams === 0) return null;
  const constants = {
    SUBGROUP: lanes,
    TEAMS: teams,
    CHUNKS: chunks,
    ROWS: height,
    BID_ROUNDS: choice.bidRounds ?? DEFAULT_BID_ROUNDS,
  };
  const file = new URL("./block-hungarian-subgroup.wgsl", import.meta.url);
  return { path: "subgroup", file, texts: {}, constants, workgroups: session.mostGroups, scratchWords: 0 };
}

function planPortable(
  session: GpuSession,
  rows: number,
  columns: number,
  laps: number,
  choice: KernelChoice,
): KernelPlan {
  const { limits } = session.device;
  if (Math.max(rows, columns) > MOST_COLUMNS) {
    throw new DeviceError(`a LAP of ${rows}×${columns} is too large for the GPU; solve it on the CPU`);
  }
  const size = 32 * Math.ceil(Math.max(rows, columns) / 32);
  let threads = choice.threads ?? (size > WIDE ? 1024 : 128);
  while (threads > limits.maxComputeInvocationsPerWorkgroup) threads /= 2;
  const lanes = choice.path === "portable" || session.subgroupSize > threads ? 0 : session.subgroupSize;
  const agreeing = lanes > 0 ? threads / lanes : threads;
  const words = limits.maxComputeWorkgroupStorageSize / 4 - AGREED * agreeing - 16;
  const held = Math.min(choice.held ?? PORTABLE_ARRAYS, Math.floor(words / size));
  const fits = held === PORTABLE_ARRAYS;
  const workgroups = Math.min(laps, fits ? session.mostGroups : STORAGE_WORKGROUPS);
  const bidRounds = choice.bidRounds ?? DEFAULT_BID_ROUNDS;
  const constants = {
    ...{ THREADS: threads, SIZE: size, HELD: held, BID_ROUNDS: bidRounds },
    ...(lanes > 0 && { SUBGROUP: lanes }),
  };
  const file = new URL("./block-hungarian-portable.wgsl", import.meta.url);
  const scratchWords = fits ? 1 : workgroups * PORTABLE_ARRAYS * size;
  const [path, reduction] = lanes > 0 ? (["wide", "subgroup"] as const) : (["portable", "tree"] as const);
  const texts = { reduction: `#import reduction-${reduction}` };
  return { path, file, texts, constants, workgroups, scratchWords };
}
