/**
 * Where the time of a frame goes in (d), the auction in one workgroup: the host's preparation, the round trip, and the rest, which is the kernel; and what the number of
 * threads does to it. Spheres 2 or the recording that is given; every answer must equal the twin's bit for bit and be certified.
 *
 *     npm run build && node lab/sorting/phases.mjs BELT.csv [--device gpu|software] [--frames 40] [--tiles 1]      prints a table, median and worst in µs
 */
import { parseArgs } from "node:util";
import { readDetections } from "rmap/formats";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { createStorage, readStorage } from "../../dist/gpu/buffers.js";
import { openSession } from "../../dist/gpu/open-session.js";
import { UploadArea } from "../../dist/gpu/upload-area.js";
import { loadKernel } from "../../dist/gpu/wgsl/kernel.js";
import { Workspace } from "../../dist/gpu/workspace.js";
import { certifyAuction } from "../../dist/lap/auction/certificate.js";
import { GRID_ERROR } from "../../dist/lap/auction/fixed-point.js";
import { sidesOf } from "../../dist/lap/auction/sides.js";
import { auctionOf } from "../../dist/track/auction.js";
import { framesOf, overFrames } from "../../dist-lab/sorting/auction.js";
import { BoardAuction, WORKGROUP } from "../../dist-lab/sorting/boards.js";
import { problemOf, resultOf, smallerSide, twinOf } from "../../dist-lab/sorting/forms.js";
import { deviceNamed } from "../device.mjs";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "gpu" },
    frames: { type: "string", default: "40" },
    tiles: { type: "string", default: "1" },
  },
});
if (positionals.length !== 1) throw new Error("give one CSV file of a belt");
const SHARE = 0.01;
const MOST_ROUNDS = 10_000;
const session = await openSession(deviceNamed(flags.device));
if (session === null) throw new Error(`${flags.device} is no GPU`);
const { detections } = readDetections(positionals[0], "ignored");
const frames = await framesOf(detections, {
  count: Number(flags.frames),
  border: false,
  tiles: Number(flags.tiles),
  crowd: 1,
});
const busy = await BusyWork.create(session, () => performance.now() / 1000);

/** Microseconds of each frame, after two passes that are not timed. */
async function timed(name, work) {
  for (const frame of [...frames, ...frames]) await work(frame);
  await busy.run();
  await session.finished();
  const times = [];
  for (const frame of frames) {
    const begin = performance.now();
    await work(frame);
    times.push(1000 * (performance.now() - begin));
  }
  const { median, p99, max } = overFrames(times);
  console.log(`${name.padEnd(44)} ${[median, p99, max].map((value) => value.toFixed(0).padStart(7)).join("")}`);
}

console.log(
  `${session.description.name}, ${frames.length} frames of ${positionals[0]}, ${Number(flags.tiles) ** 2} copies; µs: median, p99, worst`,
);
/**
 * Many copies of the dense form take seconds a frame.
 * @type {import("../../dist-lab/sorting/forms.js").AuctionForm[]}
 */
const forms = flags.tiles === "1" ? ["list", "dense"] : ["list"];
for (const form of forms) {
  await timed(`${form}: sides`, (frame) => (form === "list" ? sidesOf : smallerSide)(auctionOf(frame)));
  await timed(`${form}: preparation, sides included`, (frame) => problemOf(auctionOf(frame), form, SHARE));
  const problems = new Map(frames.map((frame) => [frame, problemOf(auctionOf(frame), form, SHARE)]));
  const area = new UploadArea(new Workspace(session, "upload alone"), "upload alone");
  const empty = createStorage(session, "readback alone", 4096);
  await timed(`${form}: upload and readback without a kernel`, async (frame) => {
    const { person, object, rowStart, candidate } = problems.get(frame);
    area.write({ person, object, rowStart, candidate });
    await readStorage(session, [empty]);
  });
  area.destroy();
  empty.destroy();
  for (const threads of [128, 256, 512, 1024]) {
    const auction = await withThreads(form, threads);
    for (const frame of frames)
      verify(frame, form, problems.get(frame), await auction.solve(problems.get(frame), MOST_ROUNDS));
    await timed(`${form}: solved, ${threads} threads`, (frame) => auction.solve(problems.get(frame), MOST_ROUNDS));
    auction.destroy();
  }
  const auction = await BoardAuction.create(session, { board: "workgroup", form });
  await timed(`${form}: whole frame`, (frame) => auction.solve(problemOf(auctionOf(frame), form, SHARE), MOST_ROUNDS));
  auction.destroy();
}
busy.destroy();
await session.close();

/** (d) in a workgroup of so many threads, which its kernel takes as a constant. */
async function withThreads(form, threads) {
  const auction = await BoardAuction.create(session, { board: "workgroup", form });
  const { kernels, capacity } = auction.oneWorkgroup;
  const workgroup = await loadKernel(session, WORKGROUP[form], { constants: { THREADS: threads, CAPACITY: capacity } });
  Object.assign(auction.oneWorkgroup, { kernels: { ...kernels, workgroup } });
  return auction;
}

/** Throws unless the answer is the twin's and its prices prove it. */
function verify(frame, form, problem, answer) {
  const twin = twinOf(problem, form, MOST_ROUNDS);
  const same = (one, other) => one.length === other.length && one.every((value, k) => value === other[k]);
  if (
    !same(answer.objectOfPerson, twin.objectOfPerson) ||
    !same(answer.price, twin.price) ||
    answer.rounds !== twin.rounds
  )
    throw new Error("an answer differs from its twin");
  const { objectOfPerson, price } = resultOf(problem, form, answer, auctionOf(frame));
  const { legal, gap } = certifyAuction(auctionOf(frame), objectOfPerson, price);
  const slack = ((problem.epsilon + 2 * GRID_ERROR) / problem.reach) * frame.reach * Math.max(1, problem.persons);
  if (!(legal && gap <= slack)) throw new Error(`an answer is ${gap} from its bound, more than ${slack}`);
}
