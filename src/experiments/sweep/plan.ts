import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { itemsOfShard, type Shard } from "../../core/shard.js";
import { type JsonPath, valueAt } from "../../files/json-file.js";
import { refuse, shown, withFile } from "../../files/refusal.js";
import { plainText, readBytes } from "../../files/text-file.js";
import { checkScenario } from "../../formats/scenario.js";
import { software } from "../../rows/provenance.js";
import { type DesignPoint, designPoints, type Setting } from "./design.js";
import { type BaseScenario, type Json, readSweep, type SweepFile } from "./file.js";
import { bytesOfRecording, digest, keyOf, type Task } from "./task.js";

/** One run of a sweep: the fields that it sets in the base scenario, and the task that makes its row. */
export interface PlannedRun {
  readonly values: Readonly<Record<string, Json>>;
  readonly task: Task;
}

export interface SweepPlan {
  readonly name: string;
  readonly runs: readonly PlannedRun[];
}

/**
 * Reads a sweep file and checks every run of it. Samples of a random design that coincide are one run.
 *
 * @throws InputError for the first run that would not be a valid scenario, and for a grid that holds a run twice
 */
export function planSweep(file: string): SweepPlan {
  const sweep = readSweep(file);
  const files = new InputFiles();
  const planned = new Map<string, { run: PlannedRun; point: DesignPoint }>();
  for (const point of designPoints(sweep)) {
    const task = makeTask(withDefaultName(sweep), point, sweep.place, files);
    const earlier = planned.get(task.key);
    if (earlier !== undefined && sweep.random === undefined) refuseRepeat(sweep, earlier.point, point);
    const values = Object.fromEntries(point.map(({ field, value }) => [field, value]));
    if (earlier === undefined) planned.set(task.key, { run: { values, task }, point });
  }
  return { name: sweep.name, runs: [...planned.values()].map(({ run }) => run) };
}

/** The runs of a shard: they are dealt in the order of their keys, so that no shard has all those of a value that makes them long. */
export function planOfShard({ name, runs }: SweepPlan, shard: Shard): SweepPlan {
  const keys = new Set(itemsOfShard(runs.map(({ task }) => task.key).sort(), shard));
  return { name, runs: runs.filter(({ task }) => keys.has(task.key)) };
}

function withDefaultName({ name, base }: SweepFile): BaseScenario {
  return { ...base, value: { name, ...base.value } };
}

/** The task of `base` with the settings of a point; `place` gives their places in the file. */
export function makeTask(
  base: BaseScenario,
  point: DesignPoint,
  place: (path: JsonPath) => string,
  files: InputFiles,
): Task {
  const value = point.reduce((scenario, setting) => withField(scenario, setting.field.split("."), setting.value), {
    ...base.value,
  } as Json) as Record<string, Json>;
  const placed = (path: JsonPath) => placeOf(path, value, base, point, place);
  const scenario = checkScenario(value, placed, base.folder);
  const seeded = point.find(({ field }) => field === "seed");
  const { source } = scenario;
  if (seeded && (source.kind === "detections" || source.kind === "instance")) {
    refuse(place(seeded.path), `is ${shown(seeded.value)}, and ${source.kind} draw nothing`, "leave the seeds out");
  }
  const { description: _, ...sent } = value;
  if (source.kind === "detections") {
    const { digest, ...content } = files.recording(source.file);
    const detections = { ...(value.detections as Record<string, Json>), file: basename(source.file) };
    return { ...software(), key: keyOf(scenario, digest), scenario: { ...sent, detections }, ...content };
  }
  if (source.kind === "instance") {
    const key = keyOf(scenario, files.folderDigest(source.folder));
    return { ...software(), key, scenario: { ...sent, instance: { folder: source.folder } }, recording: null };
  }
  return { ...software(), key: keyOf(scenario, null), scenario: sent, recording: null };
}

/** Where the value at `path` of a run comes from: a setting of the design, or the base. */
function placeOf(
  path: JsonPath,
  value: Json,
  base: BaseScenario,
  point: DesignPoint,
  place: (path: JsonPath) => string,
): string {
  const fieldOf = ({ field }: Setting) => field.split(".");
  const inside = (outer: JsonPath, inner: JsonPath) => outer.every((key, n) => inner[n] === key);
  const setting =
    point.find((each) => inside(fieldOf(each), path)) ??
    point.find((each) => path.length > 0 && inside(path, fieldOf(each)) && valueAt(value, path) !== undefined);
  if (setting === undefined) return base.place(path);
  return place([...setting.path, ...path.slice(fieldOf(setting).length)]);
}

/** `scenario` with the value at `path`; a value in its way ("none" before gate.epsilon) is replaced. */
function withField(scenario: Json, [key, ...rest]: readonly string[], value: Json): Json {
  const fields = scenario !== null && typeof scenario === "object" && !Array.isArray(scenario) ? scenario : {};
  return { ...fields, [key]: rest.length === 0 ? value : withField(fields[key] ?? {}, rest, value) };
}

function refuseRepeat(sweep: SweepFile, earlier: DesignPoint, point: DesignPoint): never {
  const n = point.findIndex((setting, k) => setting !== earlier[k]);
  const problem = `is ${shown(point[n].value)}, which makes the same run as ${shown(earlier[n].value)}`;
  refuse(sweep.place(point[n].path), problem, "leave one of them out");
}

type RecordingContent = Pick<Task, "recording" | "encoded"> & { readonly digest: string };

/** The files that scenarios name, each read once. */
export class InputFiles {
  private readonly recordings = new Map<string, RecordingContent>();
  private readonly folders = new Map<string, string>();

  recording(file: string): RecordingContent {
    const known = this.recordings.get(file);
    if (known !== undefined) return known;
    const bytes = readBytes(file);
    const content = isUtf8(bytes)
      ? { recording: plainText(file, bytes).toString("utf8") }
      : ({ recording: bytes.toString("base64"), encoded: "base64" } as const);
    const recording = { ...content, digest: digest(bytesOfRecording(content)) };
    this.recordings.set(file, recording);
    return recording;
  }

  /** Of the names and contents of the files in an instance folder. */
  folderDigest(folder: string): string {
    const known = this.folders.get(folder);
    if (known !== undefined) return known;
    const names = withFile(folder, () => readdirSync(folder)).filter((name) =>
      // A link to a file counts as the file.
      withFile(join(folder, name), () => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile()),
    );
    const lines = names
      .sort()
      .map((name) => `${name} ${digest(withFile(folder, () => readFileSync(join(folder, name))))}`);
    const whole = digest(lines.join("\n"));
    this.folders.set(folder, whole);
    return whole;
  }
}
