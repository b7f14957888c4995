import { describe, expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { refusesAndWritesNothing } from "./rmap.js";

const parent = temporaryFolder();

/** Files of a case, what of them is given to `rmap solve` with which options, and what the one line must name. */
interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly says: RegExp;
}

const csv = (name: string, content: string, says: RegExp, ...options: string[]): Case => ({
  name,
  files: { "a b.csv": content },
  args: ["a b.csv", ...options],
  says,
});

const scenario = (name: string, content: object | string, says: RegExp, ...options: string[]): Case => ({
  name,
  files: { "s.json": typeof content === "string" ? content : JSON.stringify(content) },
  args: ["s.json", ...options],
  says,
});

const folder = (name: string, files: Record<string, string>, says: RegExp, ...options: string[]): Case => ({
  name,
  files,
  args: [".", ...options],
  says,
});

const simulation = { targets: 4, frames: 5 };
const square = "frame,i,j,cost\n0,0,0,1\n0,0,1,2\n0,1,0,2\n0,1,1,1\n1,0,0,1\n1,0,1,2\n1,1,0,2\n1,1,1,1\n";

const cases: Case[] = [
  csv("ragged CSV", "frame,x,y\n0,1,2\n1,2\n", /a b\.csv:3: has 2 fields where the header has 3/),
  csv("unclosed quote", 'frame,x,y\n0,"1,2\n1,2,3\n', /a b\.csv:\d+: a quoted field is never closed/),
  csv(
    "two marks",
    "frame;x;y\n0;1,5;2.5\n",
    /a b\.csv:2: "1,5" may mean 1\.5 or 15; give --decimal comma or --decimal/,
  ),
  csv("no header", "0,1,2\n1,2,3\n", /a b\.csv:1: the first row .* is data/),
  csv("missing column", "frame,x\n0,1\n", /a b\.csv:1: .* lacks the column y/),
  csv("NaN", "frame,x,y\nNaN,1,1\n1,1,1\n", /a b\.csv:2, column frame: "NaN" is not a finite number/),
  csv("infinity", "frame,x,y\n0,1,1\n1,-inf,1\n", /a b\.csv:3, column x: "-inf" is not a finite number/),
  csv("overflowing number", "frame,x,y\n0,1,1\n1,1e999,1\n", /a b\.csv:3, column x: "1e999" is too large/),
  csv("word for a number", "frame,x,y\n0,1,left\n", /a b\.csv:2, column y: "left" is not a number/),
  csv("frame that is no integer", "frame,x,y\n0,1,1\n1.5,1,1\n", /a b\.csv:3, column frame: "1\.5" is not an integer/),
  csv("negative frame", "frame,x,y\n-1,1,1\n1,1,1\n", /a b\.csv:2, column frame: -1 is below 0/),
  csv(
    "target twice in a frame",
    "frame,x,y,target\n0,1,1,7\n0,2,2,7\n1,1,1,7\n",
    /a b\.csv:3, column target: .*line 2/,
  ),
  csv(
    "positions in a unit that makes their squares 0",
    "frame,x,y\n0,1e-200,0\n1,2e-200,0\n",
    /positions: all are within 1e-200 of each other; give them in a unit that makes it 1e-15 or more/,
  ),
  csv(
    "the same with another cost",
    "frame,x,y\n0,1e-200,0\n1,2e-200,0\n",
    /positions: all are within 1e-200 of each other/,
    "--cost",
    "euclidean",
  ),
  csv("one frame", "frame,x,y\n3,1,1\n3,2,2\n", /column frame: 3 is the only frame/),
  csv("zero detections", "frame,x,y\n", /a b\.csv: has no detections/),
  csv("empty file", "", /a b\.csv: is empty/),
  csv("binary file", "PK\u0003\u0004\0\0", /a b\.csv:1: holds a zero byte/),
  csv(
    "frame pair with no edge, closed",
    "frame,x,y\n7,0,0\n8,1,0\n9,1000,0\n10,1001,0\n",
    /frame pair 8–9: there is no edge/,
    "--births",
    "none",
    "--gate",
    "radius=5",
  ),
  csv("empty frame, closed", "frame,x,y\n0,0,0\n2,1,0\n", /frame 1: 0 detections/, "--births", "none"),
  csv("seed for a recording", "frame,x,y\n0,0,0\n1,1,0\n", /--seed 3: a recording draws nothing/, "--seed", "3"),
  scenario("not JSON", "{ name: 'a' }", /s\.json:1: is not JSON/),
  scenario("unknown key", { name: "a", simulation, sede: 1 }, /s\.json:1, sede: is not a known key; perhaps seed/),
  scenario("unknown nested key", { name: "a", simulation: { ...simulation, nois: {} } }, /simulation\.nois: /),
  scenario("negative size", { name: "a", simulation: { ...simulation, targets: -4 } }, /simulation\.targets: is -4/),
  scenario("no targets", { name: "a", simulation: { ...simulation, targets: 0 } }, /simulation\.targets: is 0/),
  scenario("one frame", { name: "a", simulation: { ...simulation, frames: 1 } }, /simulation\.frames: is 1/),
  scenario("half a target", { name: "a", simulation: { ...simulation, targets: 2.5 } }, /simulation\.targets: is 2\.5/),
  scenario("huge size", { name: "a", simulation: { targets: 1e5, frames: 1e6 } }, /simulation\.targets: is 100000/),
  scenario("no source", { name: "a" }, /s\.json:1: .*give one of simulation/),
  scenario(
    "recording that is not there",
    { name: "a", detections: { file: "no.csv" } },
    /no\.csv: there is no such file/,
  ),
  scenario("birth at 1e30", { name: "a", simulation, births: { birth: 1e30, death: 1 } }, /births/),
  scenario(
    "gate that leaves a pair without edges",
    { name: "a", simulation, gate: { radius: 1e-9 } },
    /frame pair 0–1: there is no edge/,
  ),
  folder(
    "ids past the counts",
    { "pairs.csv": square, "instance.json": '{ "counts": [2, 2, 1] }' },
    /pairs\.csv:7, column j: 1 in frame 2, which has 1/,
  ),
  folder(
    "frames past the counts",
    { "pairs.csv": square, "instance.json": '{ "counts": [2, 2] }' },
    /pairs\.csv:6, column j: .* past the last, 1/,
  ),
  folder(
    "cost at 1e30",
    { "pairs.csv": square.replace("0,0,1,2", "0,0,1,1e30") },
    /pairs\.csv:3, column cost: 1e30 is 1e30 or more/,
  ),
  folder(
    "cost that is no number",
    { "pairs.csv": square.replace("0,0,1,2", "0,0,1,inf") },
    /pairs\.csv:3, column cost: "inf"/,
  ),
  folder("pair given twice", { "pairs.csv": `${square}0,0,0,5\n` }, /pairs\.csv:10/),
  folder(
    "triplet without its pairs",
    { "pairs.csv": square.replace("1,0,1,2\n", ""), "triplets.csv": "frame,i,j,k,cost\n0,0,0,1,3\n" },
    /triplets\.csv:2/,
  ),
  folder("no pairs file", { "triplets.csv": "frame,i,j,k,cost\n" }, /holds neither pairs\.csv nor pairs\.npy/),
  folder("no pairs", { "pairs.csv": "frame,i,j,cost\n" }, /has no pairs/),
  folder(
    "frame pair without pairs",
    { "pairs.csv": "frame,i,j,cost\n0,0,0,1\n2,0,0,1\n" },
    /no pairs from frame 1 to 2/,
  ),
  folder("broken array", { "pairs.npy": "not numpy" }, /pairs\.npy: /),
  folder(
    "birth without death",
    { "pairs.csv": square, "instance.json": '{ "birth": 1 }' },
    /instance\.json: gives birth but no death/,
  ),
  folder(
    "triplets that forbid every track",
    { "pairs.csv": square, "triplets.csv": "frame,i,j,k,cost\n0,0,0,0,3\n" },
    /frame pair 0–1: .*complete/,
  ),
  folder(
    "cost override for an instance",
    { "pairs.csv": square },
    /--cost: an instance carries its own/,
    "--cost",
    "spline",
  ),
  folder("gate for an instance", { "pairs.csv": square }, /--gate: an instance carries its own/, "--gate", "5"),
  folder("seed for an instance", { "pairs.csv": square }, /--seed 1: an instance draws nothing/, "--seed", "1"),
  {
    name: "missing file",
    files: {},
    args: ["no\nsuch.csv"],
    says: /no\\u000asuch\.csv: there is no such file or folder/,
  },
  { name: "folder without an instance", files: {}, args: ["."], says: /holds neither/ },
  { name: "device", files: {}, args: ["/dev/zero"], says: /is a device/ },
  { name: "path through a file", files: { a: "" }, args: ["a/b.csv"], says: /a part of the path is a file/ },
  { name: "result rows", files: { "r.jsonl": "{}" }, args: ["r.jsonl"], says: /holds result rows/ },
  {
    name: "single array",
    files: { "pairs.npy": "" },
    args: ["pairs.npy"],
    says: /^rmap: pairs\.npy: is not a \.npy file; save it with numpy\.save/,
  },
];

describe("rmap solve refuses bad input with code 2 and one line, and writes nothing", () => {
  test.concurrent.each(cases)("$name", async ({ files, args, says }) => {
    expect(await refusesAndWritesNothing(folderWith(parent, files), ["solve", ...args])).toMatch(says);
  });
});
