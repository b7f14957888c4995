import { describe, expect, test } from "vitest";
import { parseDetections, type ReadingSource } from "../../src/formats/detections.js";
import { refusal } from "./support.js";

const read = (text: string | Buffer, source: ReadingSource = {}) =>
  parseDetections("d.csv", typeof text === "string" ? Buffer.from(text) : text, "if-complete", source);
const said = (text: string | Buffer, source?: ReadingSource) => read(text, source).notes[0];
const places = (text: string | Buffer, source?: ReadingSource) => {
  const { detections, numbers } = read(text, source);
  const { frameStart, x, y } = detections;
  const frames = Array.from(frameStart.subarray(1), (end, p) =>
    Array(end - frameStart[p]).fill(numbers.first + p * numbers.step),
  );
  return frames.flat().map((frame, d) => [frame, x[d], y[d]]);
};
const TWO = [
  [0, 1.5, 2.25],
  [1, 3, 4],
];

describe("separators, decimal marks and encodings", () => {
  test.each([
    [
      "frame;x;y\n0;1,5;2,25\n1;3;4\n",
      "Read as a table with semicolons and decimal commas: frame, x, y; time step 1 assumed; no row dropped.",
    ],
    [
      "frame;x;y;\n0;1,5;2,25;\n1;3;4;\n",
      "Read as a table with semicolons and decimal commas: frame, x, y; time step 1 assumed; no row dropped.",
    ],
    [
      "frame\tx\ty\n0\t1.5\t2.25\n1\t3\t4\n",
      "Read as a table with tabs: frame, x, y; time step 1 assumed; no row dropped.",
    ],
    ["frame|x|y\n0|1.5|2.25\n1|3|4\n", "Read as a table with bars: frame, x, y; time step 1 assumed; no row dropped."],
    [
      " frame | x | y \n 0 | 1.5 | 2.25 \n 1 | 3 | 4 \n",
      "Read as a table with bars: frame, x, y; time step 1 assumed; no row dropped.",
    ],
    [
      "frame   x\t y\n  0  1.5   2.25\n  1 3  4\n",
      "Read as a table with blanks: frame, x, y; time step 1 assumed; no row dropped.",
    ],
    [
      'frame,x,y\n0,"1,5","2,25"\n1,3,4\n',
      "Read as a table with commas and decimal commas: frame, x, y; time step 1 assumed; no row dropped.",
    ],
    [
      "Frame x (µm) y (µm)\n0 1.5 2.25\n1 3 4\n",
      "Read as a table with blanks: frame = Frame, x = x(µm), y = y(µm); time step 1 assumed; no row dropped.",
    ],
    [
      '"frame" "x" "y"\n"1" 0 1.5 2.25\n"2" 1 3 4\n',
      "Read as a table with blanks: frame, x, y; time step 1 assumed; no row dropped.",
    ],
  ])("%j", (text, says) => {
    expect(places(text)).toEqual(TWO);
    expect(said(text)).toBe(says);
  });

  test("UTF-16 with and without a mark, and Latin-1", () => {
    const text = "frame;x;y;Fläche\n0;1,5;2,25;7,5\n1;3;4;8\n";
    for (const bytes of [
      Buffer.from(`\ufeff${text}`, "utf16le"),
      Buffer.from(text, "utf16le"),
      Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
    ]) {
      expect(places(bytes)).toEqual(TWO);
      expect(said(bytes)).toContain("semicolons and decimal commas, in UTF-16: frame, x, y;");
    }
    const latin = read(Buffer.from(text, "latin1"));
    expect(latin.notes[0]).toContain(", in Latin-1:");
    expect(latin.carried?.map(({ name, at }) => [name, at(0), at(1)])).toEqual([["fläche", "7.5", "8"]]);
  });

  test("numbers that may mean two things are refused with the option that settles them", () => {
    const text = "frame;x;y\n0;1,234;2,345\n1;3,456;4,567\n";
    expect(refusal(() => read(text))).toBe(
      'd.csv:2: "1,234" may mean 1.234 or 1234; give --decimal comma or --decimal point',
    );
    expect(places(text, { decimal: "comma" })[0]).toEqual([0, 1.234, 2.345]);
    expect(places(text, { decimal: "point" })[0]).toEqual([0, 1234, 2345]);
    // Another column shows what the comma is.
    expect(places("frame;x;y;a\n0;1,234;2,345;0,5\n1;3;4;1\n")[0]).toEqual([0, 1.234, 2.345]);
    expect(places("frame;x;y\n0;1,234.5;2.25\n1;3,456;4\n")).toEqual([
      [0, 1234.5, 2.25],
      [1, 3456, 4],
    ]);
    expect(places("frame;x;y\n0;1.234,5;2,25\n1;3,5;4\n")[0]).toEqual([0, 1234.5, 2.25]);
    expect(refusal(() => read("frame;x;y\n0;1,5;2,25\n1;3.5;4\n"))).toMatch(/"1,5" may mean 1.5 or 15; give --decimal/);
  });
});

describe("headers", () => {
  test.each([
    ["a preamble", "Exported by X 1.2\nDate;2024-05-01\n\nframe;x;y\n0;1.5;2.25\n1;3;4\n"],
    ["NumPy's comment", "# frame,x,y\n0.000e+00,1.500e+00,2.25\n1.0e+00,3,4\n"],
    ["a comment in blanks", "# dt=1\n# frame x y\n0 1.5 2.25\n1 3 4\n"],
    ["a line of units", "frame,x,y\n-,µm,µm\n0,1.5,2.25\n1,3,4\n"],
    ["trackpy", ",y,x,mass,frame,particle\n0,2.25,1.5,9,0,0\n1,4,3,9,1,0\n"],
    ["napari's points", "index,axis-0,axis-1,axis-2\n0,0.0,2.25,1.5\n1,1.0,4.0,3.0\n"],
    ["napari's tracks", "track_id,t,y,x\n7,0,2.25,1.5\n7,1,4,3\n"],
    ["ImageJ", " \tArea\tX\tY\tSlice\n1\t50\t1.5\t2.25\t0\n2\t51\t3\t4\t1\n"],
    ["ThunderSTORM", '"id","frame","x [nm]","y [nm]"\n1,0,1.5,2.25\n2,1,3,4\n'],
    ["scikit-image", "frame,label,centroid-0,centroid-1\n0,1,2.25,1.5\n1,1,4,3\n"],
    [
      "EthoVision",
      '"Number of header lines:";"3"\n"Trial time";"Recording time";"X center";"Y center"\n"(s)";"(s)";"(cm)";"(cm)"\n0;0.1;1.5;2.25\n0.5;0.6;3;4\n1;1.1;"-";"-"\n',
    ],
    [
      "Movebank",
      "event-id,timestamp,location-long,location-lat\n1,2022-04-11T06:00:00Z,1.5,2.25\n2,2022-04-11T06:05:00Z,3,4\n",
    ],
    ["ImageJ's manual tracking", " \tTrack n°\tSlice n°\tX\tY\n1\t1\t0\t1.5\t2.25\n2\t1\t1\t3\t4\n"],
    ["inD", "trackId,frame,xCenter,yCenter,xVelocity,yVelocity\n1,0,1.5,2.25,1,1\n1,1,3,4,1,1\n"],
    ["a header between rows", "frame,x,y\n0,1.5,2.25\nframe,x,y\n1,3,4\n"],
    ["rows without values at the end", "frame;x;y\n0;1.5;2.25\n1;3;4\n;;\n"],
    ["names over several lines", '"Frame\n(no.)","X\r\n(px)","Y"\n0,1.5,2.25\n1,3,4\n'],
    ["JuPedSim's", "#framerate: 8.00\n#ID\tFR\tX\tY\n1\t0\t1.5\t2.25\n1\t1\t3\t4\t\n"],
    ["ilastik's", "frame,labelimageId,trackId,Object_Center_0,Object_Center_1\n0,1,2,1.5,2.25\n1,1,2,3,4\n"],
    ["images by their names", "image,x,y\na1_f000.jpg,1.5,2.25\na1_f001.jpg,3,4\n"],
  ])("%s", (_, text) => {
    expect(places(text)).toEqual(TWO);
  });

  test("TrackMate's four lines, with units, tracks and the time step", () => {
    const text = `LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME
Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame
Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame
,,,(quality),(micron),(micron),(micron),(sec),
ID1,1,0,5,1.5,2.25,0,0.0,0
ID2,2,None,5,9,9,0,0.0,0
ID3,3,0,5,3,4,0,0.5,1
`;
    const { detections, notes, unit } = read(text);
    expect([...(detections.target ?? [])]).toEqual([0, -1, 0]);
    expect([detections.timeStep, unit]).toEqual([0.5, "micron"]);
    expect(notes[0]).toBe(
      "Read as a table with commas: frame = FRAME, time = POSITION_T in sec, x = POSITION_X in micron, y = POSITION_Y in micron, target = TRACK_ID; 3 further lines around its header skipped; time step 0.5 from the column POSITION_T; no row dropped.",
    );
    expect(notes[1]).toBe("The column TRACK_ID counts as the true targets: scores compare with it.");
  });

  test("names over several lines are shown on one, and rows keep their lines", () => {
    const text = '"Frame\n(no.)","X\n(px)",Y\n0,1,2\n1,1,b\n';
    expect(refusal(() => read(text))).toMatch(/^d\.csv:5, column Y: "b" is not a number/);
    expect(said(text.replace("b", "2"))).toBe(
      "Read as a table with commas: frame = Frame (no.), x = X (px), y = Y; time step 1 assumed; no row dropped.",
    );
  });

  test("images of two folders are no frames of one recording", () => {
    expect(refusal(() => read("frame,x,y\na/1.png,1,2\nb/1.png,1,2\n"))).toBe(
      'd.csv:3, column frame: "b/1.png" differs from "a/….png" in more than its number; give the images of each folder as a file',
    );
    expect(read("frame,x,y\nt0.25.png,1,2\nt0.26.png,1,2\n").detections.frames).toBe(2);
    expect(refusal(() => read("frame,x,y\nt0.25.png,1,2\nt0.5.png,1,2\n"))).toMatch(
      /^d\.csv:3, column frame: "t0\.5\.png" differs/,
    );
  });

  test("a time that has no usual name is found where nothing else may be one", () => {
    const text = "MMSI,BaseDateTime,LAT,LON\n1,2023-06-05T00:00:00,2,1\n1,2023-06-05T00:01:00,2,1\n";
    expect([read(text).detections.frames, read(text).detections.timeStep]).toEqual([2, 60]);
    expect(places("date,frame,x,y\n3,0,1.5,2.25\n3,1,3,4\n")).toEqual(TWO);
    expect(refusal(() => read("start_timestamp,end_timestamp,x,y\n0,1,2,3\n"))).toMatch(/lacks the column frame/);
    expect(refusal(() => read("date,hour,x,y\n2024-01-05,1,2,3\n2024-01-06,1,2,3\n"))).toMatch(
      /lacks the column frame/,
    );
  });

  test("rows with summaries below the others are dropped and counted", () => {
    const text = "frame,x,y\n0,1.5,2.25\n1,3,4\nMean,2.25,3.1\nSt.Dev.,1,1\n";
    expect(places(text)).toEqual(TWO);
    expect(said(text)).toBe(
      "Read as a table with commas: frame, x, y; time step 1 assumed; 2 of 4 rows dropped, which summarise others, the first on line 4.",
    );
    expect(said(`${text},,\n`)).toMatch(
      /; 3 of 5 rows dropped, which have no position or, 2 of them, summarise others, the first on line 4\.$/,
    );
    expect(read(text).reading).toMatchObject({ dropped: 2, summary: 2 });
  });

  test("velocities of another unit than the times are not used, and said", () => {
    const table = (time: string, velocity: string) =>
      `frame,${time},x,y,${velocity}x,${velocity}y\n1,100,1,2,3,4\n2,200,1,2,3,4\n3,300,1,2,3,4\n`;
    const used = (text: string, asked = {}) => read(text, asked).detections.vx !== null;
    const notes = (text: string) => read(text).notes.filter((note) => note.startsWith("Velocities are not used"));
    expect(used(table("timestamp_ms", "v"))).toBe(false);
    expect(notes(table("timestamp_ms", "v"))).toEqual([
      "Velocities are not used: times are in ms, and velocities say no unit. To use them, convert one of them, or give --dt in the unit of the velocities.",
    ]);
    expect(used(table("timestamp_ms", "v"), { dt: 0.1 })).toBe(true);
    expect(used(table("t (s)", "v"))).toBe(true);
    expect(used(table("t", "v"))).toBe(true);
    const perMinute = "t (s),x,y,vx (um/min),vy (um/min)\n0,1,2,3,4\n1,1,2,3,4\n";
    expect(notes(perMinute)).toEqual([
      "Velocities are not used: times are in s, and velocities are per min. To use them, convert one of them.",
    ]);
    expect(used(perMinute.replaceAll("min", "sec"))).toBe(true);
    expect(refusal(() => parseDetections("d.csv", Buffer.from(perMinute), "required"))).toBe(
      "d.csv: times are in s, and velocities are per min; convert one of them",
    );
  });

  test("one label is not several", () => {
    expect(read("frame,x,y,target\n0,1,2,a\n1,1,2,a\n").notes).toContain(
      "Targets are not all integers: 1 label numbered in order.",
    );
  });

  test("times beside frames that are no numbers are not used, and said", () => {
    expect(read("frame,timestamp,x,y\n0,2024-01-05T00:00:00,1,2\n1,2024-01-05T00:00:01,1,2\n").notes).toContain(
      "The column timestamp is not all numbers, and is not used.",
    );
  });

  test("lines of numbers and words above rows without a header are skipped with a note, and rows of another width are not", () => {
    const columns = { frame: "1", x: "2", y: "3" };
    const text = "Export 3\n0,2,255,My Track\n0\n0,1.5,2.25\n1,3,4\n";
    expect(places(text, { columns })).toEqual(TWO);
    expect(said(text, { columns })).toContain("3 further lines around its header skipped;");
    expect(refusal(() => read(text.replace("My Track", "8"), { columns }))).toBe(
      'd.csv:3: has 1 fields where the header has 4 ("0"); give every row as many fields as the header',
    );
  });

  test("the user names columns by their names or numbers, with and without a header", () => {
    expect(
      places("bild;rechts;hoch\n0;1.5;2.25\n1;3;4\n", { columns: { frame: "Bild", x: "rechts", y: "3" } }),
    ).toEqual(TWO);
    expect(places("7 0 1.5 2.25\n8 1 3 4\n", { columns: { frame: "2", x: "3", y: "4" } })).toEqual(TWO);
    expect(places("frame,x,y,x2\n0,9,2.25,1.5\n1,9,4,3\n", { columns: { x: "x2" } })).toEqual(TWO);
    // pandas numbers the columns of a table without names.
    expect(places(",0,1,2\n0,0,1.5,2.25\n1,1,3,4\n", { columns: { frame: "2", x: "3", y: "4" } })).toEqual(TWO);
  });

  test.each([
    [
      "frame,x (px),x (µm),y\n0,1,2,3\n1,1,2,3\n",
      {},
      `d.csv:1: the columns "x (px)" and "x (µm)" may each be the x; give --columns 'x=x (px)' or --columns 'x=x (µm)'`,
    ],
    [
      "t,timestamp,x,y\n0,1,2,3\n1,1,2,3\n",
      {},
      'd.csv:1: the columns "t" and "timestamp" may each be the time; give --columns time=t or --columns time=timestamp',
    ],
    [
      "frame,x,x,y\n0,1,2,3\n1,1,2,3\n",
      {},
      'd.csv:1: the header names "x" twice; rename or remove one, or give --columns x=2 or --columns x=3',
    ],
    [
      "a;frame;b\n1;2;3\n",
      {},
      'd.csv:1: the header "a,frame,b" lacks the column x; name the columns frame,x,y, or say which they are: --columns x=NAME,y=NAME',
    ],
    [
      "Rec. time;X left;Y;other\n0;1;2;3\n1;1;2;4\n",
      {},
      `d.csv:1: the header "Rec. time,X left,Y,other" lacks the column frame; name the columns frame,x,y, or say which they are: --columns 'time=Rec. time,x=X left'`,
    ],
    [
      "frame,id,x1,y1,x2,y2\n0,7,1,2,3,4\n1,7,1,2,3,4\n",
      {},
      "d.csv:1: x1,y1,x2,y2 may be two targets, or two corners of a box; give --columns left=x1,top=y1,right=x2,bottom=y2 for boxes, or rename the columns of two targets a_x,a_y,b_x,b_y",
    ],
    [
      "scorer,S,S,S\nbodyparts,a,a,a\ncoords,x,y,likelihood\n0,1,2,.9\n1,1,2,.9\n",
      { columns: { x: "tail" } },
      'd.csv:1: has no column for --columns x=tail; its columns are "frame, a_x, a_y, a_likelihood": name one of them, or its number from 1',
    ],
    [
      "frame,err_x,err_y,size_x,size_y\n0,1,2,3,4\n1,1,2,3,4\n",
      {},
      'd.csv:1: the header "frame,err_x,err_y,size_x,size_y" lacks the column x; name the columns frame,x,y, or say which they are: --columns x=NAME,y=NAME',
    ],
    [
      "frame,x,y\n0,1,2\n1,1,2\n",
      { columns: { x: "X1" } },
      'd.csv:1: has no column for --columns x=X1; its columns are "frame, x, y": name one of them, or its number from 1',
    ],
    [
      "pt1_cam1_X,pt1_cam1_Y\n1,2\n3,4\n",
      {},
      'd.csv:1: the header "pt1_cam1_X,pt1_cam1_Y" lacks the column frame; name the columns frame,x,y, or say which they are: --columns frame=NAME,x=pt1_cam1_X,y=pt1_cam1_Y; where each row is a frame of its own, give --columns frame=#,x=pt1_cam1_X,y=pt1_cam1_Y',
    ],
    [
      "0 1 Car 7.5 3\n1 1 Car 7.5 3\n",
      {},
      'd.csv:1: the first row "0,1,Car,7.5,3" is data, not a header; name the columns frame,x,y in a first line, or by their numbers, as in --columns frame=1,x=2,y=3',
    ],
    [
      "Track 1 red\nPoint 1 2.5 3\nPoint 2 3.5 4\nTrack 2 red\nPoint 1 2.5 3\nPoint 2 3.5 4\n",
      {},
      "d.csv:2: is followed by rows of other widths (4 fields, then 3), which are no table; give a table with a row for each detection: frame,x,y",
    ],
    [
      "1 2.5 3\n2 3.5 4\n",
      {},
      'd.csv:1: the first row "1,2.5,3" is data, not a header; name the columns frame,x,y in a first line, or by their numbers, as in --columns frame=1,x=2,y=3',
    ],
  ])("%j is refused", (text, source, says) => {
    expect(refusal(() => read(text, source))).toBe(says);
  });
});

describe("rows with several points", () => {
  const truth = (text: string, source?: ReadingSource) => {
    const { detections, targetLabels } = read(text, source);
    const names = Array.from(detections.target ?? [], (target) =>
      target < 0 ? "" : (targetLabels?.[target] ?? target),
    );
    return places(text, source).map((place, d) => [...place, names[d]]);
  };
  const scorer = (...lines: string[]) =>
    `scorer,S,S,S,S,S,S\n${lines.join("\n")}\ncoords,x,y,likelihood,x,y,likelihood\n`;
  const single = `${scorer("bodyparts,nose,nose,nose,tail,tail,tail")}0,1,2,0.9,3,4,0.8\n1,1.5,2,0.59,3.5,4,1\n2,,,,4,4,1\n`;

  test("DeepLabCut's body parts are detections, unless DeepLabCut doubts them", () => {
    expect(truth(single)).toEqual([
      [0, 1, 2, "nose"],
      [0, 3, 4, "tail"],
      [1, 3.5, 4, "tail"],
      [2, 4, 4, "tail"],
    ]);
    const { notes, reading } = read(single);
    expect(notes.slice(0, 2)).toEqual([
      "Read as a table with commas: frame, x = nose_x, tail_x, y = nose_y, tail_y, target = point; 2 further lines around its header skipped; time step 1 assumed; 2 of 6 points dropped, which have no position or, 1 of them, a likelihood below 0.6, the first on line 5.",
      "Each row has 2 points, each of which is a detection; their names count as the true targets (one alone: --columns x=nose_x,y=nose_y).",
    ]);
    expect(reading).toMatchObject({ rows: 6, dropped: 2, unlikely: 1, points: ["nose", "tail"] });
    // One alone, by its columns or by its name; its likelihoods count as before.
    for (const columns of [{ x: "nose_x", y: "nose_y" }, { x: "nose" }])
      expect(places(`${single}3,9,9,1,,,\n`, { columns })).toEqual([
        [0, 1, 2],
        [3, 9, 9],
      ]);
  });

  test("and those of several animals, one body part of all of them by its name", () => {
    const head = scorer("individuals,m1,m1,m1,m2,m2,m2", "bodyparts,nose,nose,nose,nose,nose,nose");
    const text = `${head}0,1,2,1,3,4,1\n1,1,2,1,,,\n`;
    expect(truth(text)).toEqual([
      [0, 1, 2, "m1_nose"],
      [0, 3, 4, "m2_nose"],
      [1, 1, 2, "m1_nose"],
    ]);
    expect(truth(text, { columns: { x: "nose" } })).toEqual(truth(text));
    expect(places(text, { columns: { x: "m1_nose" } }).length).toBe(2);
  });

  test("SLEAP's nodes, of which each instance has its track or none", () => {
    const text =
      "track,frame_idx,instance.score,head.x,head.y,head.score,tail.x,tail.y,tail.score\na,0,.9,1,2,.8,3,4,.7\n,0,.9,5,6,.8,nan,nan,.1\na,1,.9,1,2,.8,3,4,.7\n";
    expect(truth(text)).toEqual([
      [0, 1, 2, "a head"],
      [0, 3, 4, "a tail"],
      [0, 5, 6, ""],
      [1, 1, 2, "a head"],
      [1, 3, 4, "a tail"],
    ]);
    expect([...(read(text).detections.attributes?.get("score") ?? [])]).toEqual([0.8, 0.7, 0.8, 0.8, 0.7]);
    expect(places(text, { columns: { x: "tail.x", y: "tail.y" } })[0]).toEqual([0, 3, 4]);
  });

  test("idtracker.ai's animals, in any dialect, with the step of its seconds", () => {
    const text = "seconds;x1;y1;x2;y2;x3;y3\n0;1;2;3;4;5;6,5\n0,04;1;2;nan;nan;5;6,5\n0,08;1;2;3;4;5;6,5\n";
    expect(truth(text).slice(0, 5)).toEqual([
      [0, 1, 2, 1],
      [0, 3, 4, 2],
      [0, 5, 6.5, 3],
      [1, 1, 2, 1],
      [1, 5, 6.5, 3],
    ]);
    expect(read(text).detections.timeStep).toBe(0.04);
    // Two animals that are not always one beside and below the other are no box.
    expect(truth("frame,x1,y1,x2,y2\n0,1,2,3,4\n1,4,2,3,4\n").length).toBe(4);
    expect(refusal(() => read("frame,x1,y1,x2,y2\n0,5,2,3,4\n1,4,2,3\n"))).toMatch(
      /has 4 fields where the header has 5/,
    );
  });

  test("markers side by side under one name, by the names above or by their numbers", () => {
    const header = "Frame,Time (Seconds),X,Y,Z,X,Y,Z\n";
    const data = "0,0,1,2,0,3,4,0\n1,0.01,1,2,0,,,\n";
    expect(truth(`Version,1\n,Type,M,M,M,M,M,M\n,Name,start,start,start,b,b,b\n${header}${data}`)).toEqual([
      [0, 1, 2, "start"],
      [0, 3, 4, "b"],
      [1, 1, 2, "start"],
    ]);
    expect(truth(header + data).map(([, , , name]) => name)).toEqual([1, 2, 1]);
    const timed = "\tA\t\t\tB\t\nt\tx\ty\tt\tx\ty\n0\t1\t2\t0\t3\t4\n1\t1\t2\t1\t3\t4\n";
    expect(refusal(() => read(timed))).toMatch(
      /the header names "t" twice; rename or remove one, or give --columns time=1,x=2,y=3 or --columns time=4,x=5,y=6$/,
    );
    expect(places(timed, { columns: { time: "4", x: "5", y: "6" } })[1]).toEqual([1, 3, 4]);
  });

  test("points of several rows in a frame have names of their own only where a track says whose they are", () => {
    const { detections, notes } = read("frame,a_x,a_y,b_x,b_y\n0,1,2,3,4\n0,5,6,7,8\n1,1,2,3,4\n");
    expect([detections.x.length, detections.target]).toEqual([6, null]);
    expect(notes).toContain("Each row has 2 points, each of which is a detection (one alone: --columns x=a_x,y=a_y).");
  });

  test("of centres that say the same, one must be chosen", () => {
    const text =
      "ImageNumber,AreaShape_Center_X,AreaShape_Center_Y,Location_Center_X,Location_Center_Y\n1,1,2,1.5,2.25\n2,1,2,3,4\n";
    expect(refusal(() => read(text))).toBe(
      'd.csv:1: the columns "AreaShape_Center_X" and "Location_Center_X" may each be the x; give --columns x=AreaShape_Center_X or --columns x=Location_Center_X',
    );
    expect(places(text, { columns: { x: "Location_Center_X" } }).map(([, x]) => x)).toEqual([1.5, 3]);
  });

  test("one pair of other names is the position", () => {
    const text = "frame,speed,thorax.x,thorax.y\n0,5,1.5,2.25\n1,5,3,4\n";
    expect(places(text)).toEqual(TWO);
    expect(read(text).detections.target).toBeNull();
  });
});

describe("boxes", () => {
  const attributes = (text: string, source?: ReadingSource) =>
    ["left", "top", "width", "height"].map((name) => [...(read(text, source).detections.attributes?.get(name) ?? [])]);

  test("in place of positions have them at their centres, by two corners or by one and the size", () => {
    for (const text of [
      "image,class,xmin,ymin,xmax,ymax,frame\na,c,0.5,1.25,2.5,3.25,0\na,c,2,3,4,5,1\n",
      "frame;bb_left;bb_top;bb_width;bb_height\n0;0,5;1,25;2;2\n1;2;3;2;2\n",
      "frame,Left,Top,Right,Bottom\n0,0.5,1.25,2.5,3.25\n0,,,,\n1,2,3,4,5\n",
    ]) {
      expect(places(text)).toEqual(TWO);
      expect(attributes(text)).toEqual([
        [0.5, 2],
        [1.25, 3],
        [2, 2],
        [2, 2],
      ]);
    }
    expect(said("frame,xmin,ymin,xmax,ymax\n0,0.5,1.25,2.5,3.25\n1,2,3,4,5\n")).toBe(
      "Read as a table with commas: frame, x = centre of xmin, xmax, y = centre of ymin, ymax; time step 1 assumed; no row dropped.",
    );
    expect(refusal(() => read("frame,xmin,ymin,xmax,ymax\n0,0.5,1.25,2.5,3.25\n1,2,3,four,5\n"))).toBe(
      'd.csv:3, column centre of xmin, xmax: "four" is not a number; give a finite position in a unit that keeps it below 1e15, or leave the row out',
    );
  });

  test("are named by the user, with or without a header", () => {
    const columns = { left: "x1", top: "y1", right: "x2", bottom: "y2" };
    expect(places("frame,x1,y1,x2,y2\n0,0.5,1.25,2.5,3.25\n1,2,3,4,5\n", { columns })).toEqual(TWO);
    const kitti = "0 7 Car 0.5 1.25 2.5 3.25 9\n1 7 Car 2 3 4 5 9\n";
    const numbers = { frame: "1", target: "2", left: "4", top: "5", right: "6", bottom: "7" };
    expect(places(kitti, { columns: numbers })).toEqual(TWO);
    expect(attributes(kitti, { columns: numbers })[2]).toEqual([2, 2]);
    expect(refusal(() => read("frame,x,y,w\n0,1,2,3\n1,1,2,3\n", { columns: { left: "x" } }))).toBe(
      "--columns left=x: the box is not complete; name left, top, right and bottom, or left, top, width and height",
    );
    expect(refusal(() => read(kitti, { columns: { ...numbers, x: "4" } }))).toBe(
      "--columns left=4: a position is x and y, or the centre of a box; leave one of them out",
    );
  });
});

describe("tables without frames", () => {
  test("are refused with the option that takes each row for a frame", () => {
    const text = "x;y\n1,5;2,25\n;\n3;4\n";
    expect(refusal(() => read(text))).toBe(
      'd.csv:1: the header "x,y" lacks the column frame; add a column frame, or, where each row is a frame of its own, give --columns frame=#',
    );
    expect(refusal(() => read("cuadro,x,y\n0,1.5,2.25\n1,3,4\n"))).toBe(
      'd.csv:1: the header "cuadro,x,y" lacks the column frame; say which it is: --columns frame=NAME; or, where each row is a frame of its own, give --columns frame=#',
    );
    expect(places("cuadro,x,y\n0,1.5,2.25\n1,3,4\n", { columns: { frame: "cuadro" } })).toEqual(TWO);
    const { detections } = read(text, { columns: { frame: "#" } });
    expect([...detections.frameStart]).toEqual([0, 1, 1, 2]);
    expect(said(text, { columns: { frame: "#" } })).toContain(
      "frame = #, x, y; time step 1 assumed; 1 of 3 rows dropped",
    );
    expect(places("1.5 2.25\n3 4\n", { columns: { frame: "#", x: "1", y: "2" } })).toEqual(TWO);
    expect(read("a_x,a_y,b_x,b_y\n1,2,3,4\n1,2,3,4\n", { columns: { frame: "#" } }).detections.x.length).toBe(4);
    // A column of that name is one of numbers.
    expect(places("#,x,y\n4,1.5,2.25\n5,3,4\n", { columns: { frame: "#" } })[0]).toEqual([4, 1.5, 2.25]);
  });
});

describe("pairs that are no points", () => {
  test("are named in a note and in what was understood", () => {
    const { notes, reading } = read("frame,a_x,a_y,b_x,b_y,err_x,err_y\n0,1,2,3,4,0,0\n1,1,2,3,4,0,0\n");
    expect(notes).toContain(
      "No points, by their names: err_x, err_y (one alone as the position: --columns x=err_x,y=err_y).",
    );
    expect(reading?.noPoints).toEqual(["err_x", "err_y"]);
  });
});

describe("missing values", () => {
  test("rows without a position are dropped and counted, whatever stands for it", () => {
    const text = "frame,x,y\n0,1.5,2.25\n0,NaN,2\n0,,\n0,NA,-\n1,3,null\n1,3,4\n";
    expect(places(text)).toEqual(TWO);
    expect(said(text)).toBe(
      "Read as a table with commas: frame, x, y; time step 1 assumed; 4 of 6 rows dropped, which have no position, the first on line 3.",
    );
    expect(read(text).reading).toMatchObject({ rows: 6, dropped: 4, firstDropped: 3, timeStepFrom: "assumed" });
  });

  test("half a velocity is none, and an unknown target a false detection", () => {
    const { detections, notes } = read("frame,x,y,vx,vy,target\n0,1,2,,1,NaN\n0,2,2,1,nan,3\n1,1,2,1,2,none\n");
    expect(detections.vx).toEqual(Float64Array.of(Number.NaN, Number.NaN, 1));
    expect(detections.vy).toEqual(Float64Array.of(Number.NaN, Number.NaN, 2));
    expect([...(detections.target ?? [])]).toEqual([-1, 3, -1]);
    expect(notes.join()).toContain(
      "Velocities are estimated in 2 of 3 rows, where vx or vy is missing, the first on line 2.",
    );
  });
});

describe("times", () => {
  const rows = (times: readonly (string | number)[], name = "time") =>
    `${name},x,y\n${times.map((at, n) => `${at},${n},0\n`).join("")}`;
  const framesOf = (text: string, source?: ReadingSource) => places(text, source).map(([frame]) => frame);

  test("seconds and dates become frames by the step of their differences, gaps included", () => {
    const text = rows([0.1, 0.2, 0.2, 0.30000000000000004, 0.6, 0.7]);
    expect(framesOf(text)).toEqual([0, 1, 1, 2, 5, 6]);
    expect(read(text).detections.timeStep).toBe(0.1);
    const dates = rows([
      "2024-02-29T23:59:59.5Z",
      "2024-03-01 00:00:00",
      "2024-03-01T01:00:00.500+01:00",
      "2024-03-01T00:00:02",
    ]);
    expect(framesOf(dates)).toEqual([0, 1, 2, 5]);
    expect(read(dates).detections.timeStep).toBe(0.5);
    expect(said(dates)).toContain("time, x, y; time step 0.5 from the column time;");
    expect(framesOf(rows(["10:00:01", "10:00:03", "10:00:09"], "timestamp"))).toEqual([0, 1, 4]);
  });

  test("dates with the day or the month first, and in a column beside the time of day", () => {
    const text = rows(["31/12/2023 23:59:58", "31/12/2023 23:59:59", "01/01/2024 00:00:01"], "# Timestamp");
    expect(framesOf(text)).toEqual([0, 1, 3]);
    expect(framesOf(rows(["12/31/2023 9:59:58", "12/31/2023 10:00:00"]))).toEqual([0, 1]);
    expect(framesOf(rows(["05/21/2024 11:59:50 AM", "05/21/2024 12:00:00 PM", "05/21/2024 1:00:00 PM"]))).toEqual([
      0, 1, 361,
    ]);
    expect(framesOf(rows(["28.2.2024", "29.2.2024", "1.3.2024"]))).toEqual([0, 1, 2]);
    // On one day the order makes no difference.
    expect(framesOf(rows(["01/02/2024 10:00:00", "01/02/2024 10:00:01"]))).toEqual([0, 1]);
    const beside = "sep=;\nDatum;Uhrzeit;x;y\n31.12.2023;23:59:59;1,5;2\n01.01.2024;0:00:00;3;4\n";
    expect(framesOf(beside)).toEqual([0, 1]);
    expect(read(beside).notes).toContain(
      "The times of day in the column Uhrzeit are on the dates in the column datum.",
    );
    expect(refusal(() => read("date,time,x,y\nMonday,10:00:00,1,2\nMonday,10:00:01,1,2\n"))).toMatch(
      /d\.csv:2, column date: "Monday" is no date; give/,
    );
  });

  test("the order of day and month is the one that a date above 12 shows, or the differences, or the user", () => {
    const open = rows(["01/02/2024", "02/02/2024", "04/02/2024"]);
    expect(refusal(() => read(open))).toBe(
      'd.csv:2, column time: "01/02/2024" may have the day or the month first; give --dates day-first or --dates month-first',
    );
    expect(framesOf(open, { dates: "day-first" })).toEqual([0, 1, 3]);
    expect(framesOf(open, { dates: "month-first" })).toEqual([0, 1, 3]);
    expect(read(open, { dates: "day-first" }).detections.timeStep).toBe(86400);
    expect(read(open, { dates: "month-first" }).detections.timeStep).toBeGreaterThan(30 * 86400);
    expect(read(open, { dates: "day-first" }).reading?.options).toEqual({ dates: "day-first" });
    // Later rows settle earlier ones.
    const settled = rows(["11/02/2024", "12/02/2024", "13/02/2024"]);
    expect(framesOf(settled)).toEqual([0, 1, 2]);
    expect(read(settled).notes).toContain(
      'Dates in the column time have the day first, as "13/02/2024" on line 4 has.',
    );
    // Across midnight only one order gives frames that follow one another.
    const night = rows(["02/03/2024 23:59:58", "02/03/2024 23:59:59", "03/03/2024 00:00:00", "03/03/2024 00:00:01"]);
    expect(framesOf(night)).toEqual([0, 1, 2, 3]);
    expect(read(night).notes).toContain(
      "Dates in the column time have the day first, as nearly all frames would be empty otherwise.",
    );
    expect(refusal(() => read(rows(["13/02/2024", "02/14/2024"])))).toBe(
      'd.csv:3, column time: "02/14/2024" has the month first, and "13/02/2024" on line 2 has the day first; give times as numbers, or as 2024-05-31T12:00:00.5',
    );
    expect(refusal(() => read(settled, { dates: "month-first" }))).toBe(
      'd.csv:4, column time: "13/02/2024" has the day first, and --dates month-first is given; leave it out',
    );
  });

  test("a clock passes midnight where the recording is shorter that way, targets one after the other too", () => {
    const night = ["23:59:58", "23:59:59", "00:00:00", "00:00:01"];
    expect(framesOf(rows(night))).toEqual([0, 1, 2, 3]);
    expect(read(rows(night)).notes).toContain(
      "The times of day in the column time pass midnight: those after it are on the next day.",
    );
    expect(places(rows([...night, ...night])).map(([frame]) => frame)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    const day = ["06:00:00", "13:00:00", "20:00:00"];
    expect(places(rows([...day, ...day])).map(([frame]) => frame)).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test("hundredths of a second behind a colon, which are rounded, as Kinovea writes them", () => {
    const lines = Array.from(
      { length: 8 },
      (_, n) => `0:00:00:${String(Math.round((n * 100) / 30)).padStart(2, "0")} ${n} 1\n`,
    );
    const kinovea = `#Kinovea Trajectory data export\n#T X Y\n${lines.join("")}`;
    expect(framesOf(kinovea)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(read(kinovea).detections.timeStep).toBeCloseTo(1 / 30, 3);
    expect(framesOf(rows(["0:00:00:00", "0:00:00:25", "0:00:00:50", "0:00:01:00", "0:00:02:75"]))).toEqual([
      0, 1, 2, 4, 11,
    ]);
    expect(refusal(() => read(rows(["0:00:00:00", "0:00:00:12", "0:00:01:00"])))).toBe(
      'd.csv:2, column time: "0:00:00:00" may end in hundredths of a second, or in the number of an image; write hundredths as 12:00:00.25, or give the frames\' numbers',
    );
  });

  test("jitter up to 5 % of a step counts as that step, in long gaps and within frames", () => {
    const jittered = [0, 1.05, 1.96, 3.04, 4.01, 54.05, 54.97, 56.03];
    expect(framesOf(rows(jittered))).toEqual([0, 1, 2, 3, 4, 54, 55, 56]);
    expect(framesOf(rows([0, 0.02, 0.04, 1, 1.03, 2.01, 2.04, 3.01]))).toEqual([0, 0, 0, 1, 1, 2, 2, 3]);
  });

  test("the jitter of rows within a frame makes no step of the last digit", () => {
    const times = [3, 5, 8, 301, 305, 307, 600, 603, 1202, 1204];
    expect(framesOf(rows(times, "t"))).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 4, 4]);
    const tenths = times.map((at) => (at / 10).toFixed(1).replace(".", ","));
    expect(framesOf(`t;x;y\n${tenths.map((at) => `${at};1;2\n`).join("")}`)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 4, 4]);
    const uneven = rows([3, 4, 60, 131, 207, 409, 600, 893, 1202], "t");
    expect(refusal(() => read(uneven))).toMatch(/they have no common step within 5 %; give the step, as in --dt /);
  });

  test("short runs of frames far apart may be jitter, and are refused with both steps", () => {
    const text = rows([0, 1, 2, 3, 300, 301, 302, 600, 601, 602, 603, 1201, 1202], "t");
    expect(refusal(() => read(text))).toBe(
      "d.csv:2, column t: the times may be 1 or 300 apart, where those that are closer are one frame; give --dt 1 or --dt 300",
    );
    expect(framesOf(text, { dt: 300 })).toEqual([0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 4, 4]);
    expect(framesOf(text, { dt: 1 })).toEqual([0, 1, 2, 3, 300, 301, 302, 600, 601, 602, 603, 1201, 1202]);
  });

  test("whole numbers in even steps keep their numbers", () => {
    const text = rows([10, 20, 30, 50], "t");
    expect(framesOf(text)).toEqual([10, 20, 30, 50]);
    expect(read(text).detections).toMatchObject({ frames: 5, timeStep: 10 });
    expect(framesOf(rows([0, 33, 67, 100, 133], "t"))).toEqual([0, 1, 2, 3, 4]);
  });

  test("uneven times are refused, and read with the step that the refusal names", () => {
    const text = rows([0, 1, 2.3, 3.1, 4]);
    expect(refusal(() => read(text))).toBe(
      "d.csv:4, column time: the time 2.3 comes 1.3 after the one before, and the median of such differences is 1: they have no common step within 5 %; give the step, as in --dt 1: each time then belongs to the nearest frame",
    );
    expect(framesOf(text, { dt: 1 })).toEqual([0, 1, 2, 3, 4]);
    expect(read(text, { dt: 1 }).notes.join(" ")).toContain(
      "2 different times in the column time are more than 5 % of the step",
    );
    expect(refusal(() => read(`# dt=2\n${text}`, { dt: 1 }))).toBe("--dt 1: d.csv states dt=2; leave one of them out");
    expect(refusal(() => read(rows(["2024-02-30", "2024-03-01"])))).toMatch(
      /d\.csv:2, column time: "2024-02-30" is no date/,
    );
  });

  test("times beside frames give the step between two frames", () => {
    const { detections, notes } = read("frame,t,x,y\n3,1.5,0,0\n5,2.52,0,0\n4,2,0,0\n");
    expect(detections.timeStep).toBe(0.51);
    expect(notes[0]).toContain("time step 0.51 from the column t");
    const uneven = read("frame,t,x,y\n3,1.5,0,0\n4,2,0,0\n5,3,0,0\n");
    expect(uneven.detections.timeStep).toBe(1);
    expect(uneven.notes.join(" ")).toContain("The column t has no even step from frame to frame, and is not used.");
  });
});

test("a row above the header is not skipped as a line that says something about the table", () => {
  expect(refusal(() => read("0,1,2\nframe,x,y\n1,2,3\n"))).toMatch(
    /:1: is a row above the header; put the header first/,
  );
  expect(refusal(() => read("12,rat,1\n0;1,5;2\nframe;x;y\n1;2,5;3\n"))).toMatch(/:2: is a row above the header/);
});
