/** What the worker holds: the recording, its present answer, and what of them goes to the page. */
import { unzipSync } from "fflate";
import { z } from "zod";
import { isThere } from "../../dist/files/text-file.js";
import type { DetectionsFile } from "../../dist/formats/detections.js";
import { digestOf } from "../../dist/formats/digest.js";
import { formatFixedLinks, readFixedLinks } from "../../dist/formats/fixed-links.js";
import { type Input, readInput } from "../../dist/formats/input.js";
import { formatProof, readProof } from "../../dist/formats/proof.js";
import { checkScenario } from "../../dist/formats/scenario.js";
import { formatTracks } from "../../dist/formats/tracks.js";
import type { HistoryRow } from "../../dist/map/solution.js";
import { type ResultFolder, readResultFolder } from "../../dist/rows/result-folder.js";
import { Corrections } from "../../dist/run/corrections/corrections.js";
import { makeInstance } from "../../dist/run/costs.js";
import { openBackend } from "../../dist/run/device.js";
import { judgeProof } from "../../dist/run/judge-proof.js";
import type { SolveOverrides } from "../../dist/run/overrides.js";
import type { Problem } from "../../dist/run/problem.js";
import { proofOf } from "../../dist/run/proof-of.js";
import type { Run } from "../../dist/run/run.js";
import { type InputSettings, solveInput } from "../../dist/run/solve-input.js";
import { placeFile, readFileSync } from "../platform/fs.js";
import { decoded } from "./frames.js";
import { answerOf, answerOfCorrected, answerOfFolder, sceneOf } from "./pictured.js";
import type {
  Answer,
  Calls,
  Correction,
  Device,
  ExportedFile,
  GivenFile,
  Instead,
  Opened,
  Progress,
  Simulation,
  Verdict,
} from "./protocol.js";
import { drawnBy, SCENARIO, simulationOf, textOf, withNumbers } from "./simulated.js";

/** The corrections of the page, where `links` names them. */
const LINKS = "links.csv";

const NOTHING: Opened = { scene: null, answer: null, corrections: null, verdict: null };

const now = () => performance.now() / 1000;

/** An input with the settings that it is solved by. */
interface Task {
  readonly input: Input;
  readonly recording: DetectionsFile;
  readonly settings: Partial<InputSettings> & SolveOverrides;
}

interface Solved {
  readonly problem: Problem;
  readonly run: Run;
}

export class Session implements Calls {
  #task: Task | null = null;
  #solved: Solved | null = null;
  /** The corrections that the present solve was told. */
  #told: readonly Correction[] = [];
  /** Corrections of the present solve, without another one. */
  #corrections: Corrections | null = null;
  #stopped = false;
  #device: Device = "auto";

  constructor(private readonly tell: (progress: Progress) => void) {}

  async unpack(base64: string): Promise<Opened> {
    const zipped = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const files = Object.entries(unzipSync(zipped)).map(([path, bytes]) => ({ path, bytes }));
    return this.open(files);
  }

  async open(files: readonly GivenFile[]): Promise<Opened> {
    for (const { path, bytes } of files) placeFile(path, bytes);
    const paths = files.map(({ path }) => path);
    const result = paths.find((path) => /(^|\/)result\.json$/.test(path));
    if (result !== undefined) return { ...NOTHING, ...(await this.#openRun(folderOf(result))) };
    const proofs = paths.filter(isProof);
    const links = paths.filter(isLinks);
    const others = paths.filter((path) => !proofs.includes(path) && !links.includes(path));
    const opened = others.length === 0 ? NOTHING : { ...NOTHING, ...(await this.#openInput(inputAmong(others))) };
    return {
      ...opened,
      corrections: links.length === 0 ? null : this.#readCorrections(links[0]),
      verdict: proofs.length === 0 ? null : await this.#check(proofs[0], links[0]),
    };
  }

  readonly decode = decoded;

  async draw(simulation: Simulation): Promise<Opened> {
    const { input, settings } = this.#required();
    if (input.kind !== "scenario") throw new Error("these detections are not simulated");
    const scenario = withNumbers(input.scenario, simulation);
    return { ...NOTHING, ...this.#begin({ kind: "scenario", scenario }, { ...settings, seed: undefined }, null) };
  }

  async solve(corrections: readonly Correction[], device = this.#device): Promise<Answer> {
    this.#device = device;
    const began = now();
    this.#solved = await this.#solve(corrections);
    [this.#told, this.#corrections] = [corrections, null];
    return { ...answerOf(this.#solved), seconds: now() - began };
  }

  /** Ends the present solve; what is known by then is certified. */
  stop(): void {
    this.#stopped = true;
  }

  async correct(corrections: readonly Correction[]): Promise<Answer> {
    if (this.#solved === null) await this.solve([]);
    // What a solve was told cannot be taken back without another one.
    if (!this.#told.every((one) => corrections.some((other) => isSame(one, other)))) return this.solve(corrections);
    const solved = this.#solved as Solved;
    const began = now();
    const corrected = await this.#correcting(solved).correct(corrections);
    return { ...answerOfCorrected(solved, corrected), seconds: now() - began };
  }

  async instead(corrections: readonly Correction[], link: Pick<Correction, "from" | "to">): Promise<Instead | null> {
    if (this.#solved === null) return null;
    const correcting = this.#correcting(this.#solved);
    const { upperBound } = await correcting.correct(corrections);
    const without = await correcting.instead(corrections, link);
    return { gone: without.gone.flat(), added: without.added.flat(), dearer: without.upperBound - upperBound };
  }

  /** Of a corrected answer the costs are learned from the corrected tracks, so that `rmap check` can make them again. */
  async exports(corrections: readonly Correction[]): Promise<readonly ExportedFile[]> {
    const { input, recording } = this.#required();
    const { detections, numbers } = recording;
    if (this.#solved === null) await this.solve([]);
    const { problem, run } = corrections.length > 0 ? await this.#solve(corrections) : (this.#solved as Solved);
    const files: ExportedFile[] = [];
    if (run.track !== null) {
      const { x, y, z } = detections;
      const tracks = formatTracks(
        { frameStart: run.frameStart, x, y, z },
        run.track,
        problem.numbers,
        run.margins,
        problem.carried,
        run.parents,
      );
      files.push({ name: "tracks.csv", text: [...tracks].join("") });
    }
    if (corrections.length > 0)
      files.push({ name: LINKS, text: formatFixedLinks(corrections, detections.frameStart, numbers) });
    const proof = proofOf(run);
    if (proof !== null) files.push({ name: "proof.json", text: formatProof(proof) });
    if (input.kind === "scenario") files.push({ name: SCENARIO, text: textOf(input.scenario) });
    return files;
  }

  #correcting(solved: Solved): Corrections {
    this.#corrections ??= new Corrections(solved, { now });
    return this.#corrections;
  }

  /** Learns the costs and solves, with these corrections as fixed links. */
  async #solve(corrections: readonly Correction[]): Promise<Solved> {
    const { input, settings, recording } = this.#required();
    const { detections, numbers } = recording;
    this.#stopped = false;
    placeFile(LINKS, corrections.length === 0 ? null : formatFixedLinks(corrections, detections.frameStart, numbers));
    const began = now();
    const tell = (progress: Omit<Progress, "seconds">) => this.tell({ ...progress, seconds: now() - began });
    const backend = await openBackend(this.#device, { threads: 1, now });
    const links = corrections.length === 0 ? {} : { links: LINKS };
    const watch = {
      now,
      began,
      iterated: ({ iteration, lowerBound, upperBound }: HistoryRow) =>
        tell({ phase: "bounds", iteration, lowerBound, upperBound }),
      interrupted: () => this.#stopped,
    };
    tell({ phase: "costs" });
    return solveInput(() => backend, input, { ...settings, ...links, threads: 1 }, watch).finally(() =>
      backend.close(),
    );
  }

  #required(): Task {
    if (this.#task === null) throw new Error("there is no input to solve: drop the detections");
    return this.#task;
  }

  async #openInput(path: string): Promise<Pick<Opened, "scene">> {
    const input = await readInput(path);
    return this.#begin(input, {}, null);
  }

  #begin(input: Input, settings: Task["settings"], known: ResultFolder | null) {
    const recording = recordingOf(input);
    [this.#solved, this.#corrections, this.#told] = [null, null, []];
    this.#task = recording && { input, recording, settings };
    const simulation = input.kind === "scenario" ? simulationOf(input.scenario) : null;
    return { scene: { ...sceneOf(recording, known, recording !== null), simulation } };
  }

  async #openRun(folder: string): Promise<Pick<Opened, "scene" | "answer">> {
    const result = readResultFolder(folder);
    const input = await inputOf(result);
    const settings = input === null ? {} : settingsOf(folder, result);
    this.#task = null;
    const { scene } = input === null ? { scene: sceneOf(null, result, false) } : this.#begin(input, settings, result);
    return { scene, answer: answerOfFolder(result) };
  }

  #readCorrections(path: string): Correction[] {
    const { detections, numbers } = this.#required().recording;
    const { next, forbidden } = readFixedLinks(path, detections.frameStart, numbers);
    const required = [...next].flatMap((to, from) => (to < 0 ? [] : [{ kind: "required" as const, from, to }]));
    const ruledOut = [...forbidden].flatMap(([from, heads]) =>
      [...heads].map((to) => ({ kind: "forbidden" as const, from, to })),
    );
    return [...required, ...ruledOut];
  }

  /** The costs are made again as the proof says; files that it names are not opened, but the links that were dropped with it. */
  async #check(path: string, links: string | undefined): Promise<Verdict> {
    const { input } = this.#required();
    const file = readProof(path);
    const { estimated, cost, links: named, ...others } = file.overrides;
    if (typeof cost === "object")
      return { holds: false, text: `The proof was made with the cost ${cost.file}: check it with rmap check.` };
    if (named !== undefined && links === undefined)
      return { holds: false, text: `The proof was made with links of ${named}: drop that file together with it.` };
    this.tell({ phase: "costs", seconds: 0 });
    const overrides = { ...others, ...(cost !== undefined && { cost }), ...(named !== undefined && { links }) };
    const { graph } = await makeInstance(input, overrides, { threads: 1, now }, estimated);
    if (digestOf(graph) !== file.instance)
      return { holds: false, text: "The proof is about other costs than those of this input." };
    this.tell({ phase: "proof", seconds: 0 });
    const { checked, exact, verdict } = judgeProof(graph, file);
    if (!checked.valid) return { holds: false, text: `The proof does not hold: ${checked.why}.` };
    if (!verdict.holds) return { holds: false, text: "The proof proves less than it says." };
    const optimal = checked.optimal && (exact === null || (exact.valid && exact.optimal));
    const bounds = `cost ${checked.upperBound}, bound ${checked.lowerBound}`;
    return { holds: true, text: `The proof holds${optimal ? ": its tracks are optimal" : ""} (${bounds}).` };
  }
}

const isSame = (a: Correction, b: Correction) => a.kind === b.kind && a.from === b.from && a.to === b.to;
const folderOf = (path: string) => path.split("/").slice(0, -1).join("/") || ".";
const head = (path: string) => new TextDecoder().decode((readFileSync(path) as Uint8Array).subarray(0, 4096));
const isProof = (path: string) => path.endsWith(".json") && /^\s*\{\s*"format":\s*"rmap-proof/.test(head(path));
const isLinks = (path: string) => {
  const columns = head(path).split(/\r?\n/, 1)[0].split(",");
  return ["frame", "i", "j", "link"].every((name) => columns.includes(name));
};

/** Files by which a folder is a graph or an instance. */
const OF_FOLDER = /(?:^|\/)(?:zarr\.json|\.zattrs|\.zgroup|pairs\.csv|instance\.json)$/;

/** Of several files the folder that is a graph or an instance, else the first. */
function inputAmong(paths: readonly string[]): string {
  const depth = (path: string) => path.split("/").length;
  const [top] = paths.filter((path) => OF_FOLDER.test(path)).sort((a, b) => depth(a) - depth(b));
  return top === undefined ? paths[0] : folderOf(top);
}

function recordingOf(input: Input): DetectionsFile | null {
  if (input.kind === "detections") return input.recording;
  if (input.kind === "scenario") return drawnBy(input.scenario);
  return input.kind === "instance" ? input.instance.recording : null;
}

const stated = z.looseObject({
  source: z.looseObject({ kind: z.string(), file: z.string().optional() }),
  pricing: z.looseObject({}).optional(),
});

/** The input of a run, where the page has it, or draws it again as it was. */
async function inputOf({ row, tracks }: ResultFolder): Promise<Input | null> {
  const { name, seed } = row;
  const { data } = stated.safeParse(row.scenario);
  if (data === undefined) return null;
  const { kind, file, ...parameters } = data.source;
  if (kind === "simulation" && typeof tracks?.target === "object") {
    const scenario = { name, seed, simulation: parameters, ...data.pricing };
    return { kind: "scenario", scenario: checkScenario(scenario, () => "result.json", ".") };
  }
  return kind === "detections" && file !== undefined && isThere(file) ? readInput(file, row.reading?.options) : null;
}

/** The settings by which a run was solved, as far as its proof and its result state them. */
function settingsOf(folder: string, { row }: ResultFolder): Task["settings"] {
  const proof = `${folder}/proof.json`;
  const { estimated: _, cost, links: __, ...overrides } = isThere(proof) ? readProof(proof).overrides : {};
  const { stop } = row;
  return {
    ...overrides,
    ...(typeof cost === "string" && { cost }),
    ...(stop !== undefined && stop.nats === undefined && { gap: stop.gapPercent }),
  };
}
