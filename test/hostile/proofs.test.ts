import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { randomStreams } from "../../src/core/random.js";
import { readInput } from "../../src/formats/input.js";
import { readProof } from "../../src/formats/proof.js";
import { checkExactly, checkProof } from "../../src/map/proof/check.js";
import { fromFile } from "../../src/map/proof/file-order.js";
import { roundDown } from "../../src/map/proof/numbers.js";
import { makeInstance } from "../../src/run/costs.js";
import { rmap, scenarios } from "../cli/rmap.js";
import { HOSTILE_PROOFS, honest, shaken } from "./proofs.js";

const folder = mkdtempSync(join(tmpdir(), "rmap-hostile-"));

/** Writes a proof and has it checked; what is said is one line, or the report of a check. */
async function check(content: string | Buffer, input: string, ...options: string[]) {
  const file = join(folder, "proof.json");
  writeFileSync(file, content);
  return rmap(["check", file, input, ...options], { cwd: folder });
}

describe("rmap check", () => {
  test("says that the honest proof of these tests holds, and with which options it was made", async () => {
    const { proof, input } = honest("uniform-10x5");
    const { code, stdout } = await check(JSON.stringify(proof), input);
    expect(code).toBe(0);
    expect(stdout).toMatch(/the proof holds/);
    expect(stdout).toMatch(/made with +no options/);
  });

  test.each(HOSTILE_PROOFS)("refuses $name", async ({ make, code, says }) => {
    writeFileSync(join(folder, "evil.mjs"), `globalThis.evil = 1; export default {};`);
    const { proof, input } = honest("uniform-10x5");
    const { code: ended, stdout, stderr } = await check(make(proof), input);
    const said = stdout + stderr;
    expect({ said, ended }).toMatchObject({ ended: code });
    expect(said).toMatch(says);
    expect(said).not.toMatch(/defect/);
    expect(stderr.length).toBeLessThan(500);
    if (code === 2) expect([stdout, stderr.match(/\n/g)?.length]).toEqual(["", 1]);
    expect(globalThis).not.toHaveProperty("evil");
  });
});

describe("what a proof with random changes proves", () => {
  test.each(["uniform-10x5", "uniform-12x3", "uniform-20x3", "births-40x20"])(
    "of %s is never above the tracks that are known, in f64 or exactly",
    async (name) => {
      const { proof, input } = honest(name);
      const file = join(folder, "shaken.json");
      writeFileSync(file, JSON.stringify(proof));
      const { graph } = await makeInstance(await readInput(input), {}, { threads: 1, now: () => 0 });
      const { tracks, proof: whole } = fromFile(graph, readProof(file));
      const honestly = checkExactly(graph, tracks, whole);
      if (!honestly.valid) throw new Error(honestly.why);
      // What the known tracks cost, rounded up.
      const known = -roundDown(-honestly.upperBound, honestly.shift);
      const random = randomStreams(7).next().value;
      const counts = { unread: 0, refuted: 0, held: 0 };
      for (let run = 0; run < (graph.triplets.count < 5000 ? 200 : 40); run++) {
        writeFileSync(file, shaken(name, { next: () => random.uniform(0, 1) }));
        let read: ReturnType<typeof fromFile>;
        try {
          read = fromFile(graph, readProof(file));
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          counts.unread++;
          continue;
        }
        const f64 = checkProof(graph, read.tracks, read.proof);
        if (f64.valid) {
          expect(f64.lowerBound, `run ${run}`).toBeLessThanOrEqual(known);
          const exact = checkExactly(graph, read.tracks, read.proof);
          if (exact.valid) expect(roundDown(exact.lowerBound, exact.shift)).toBeLessThanOrEqual(known);
          counts.held++;
        } else counts.refuted++;
      }
      expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
    },
  );
});

/** Says in a file that it was run: rmap may import it in this process or in a worker thread. */
const costFile = (trace: string) => `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(trace)}, "run");
export default {
  width: 1, rule: "absolute",
  bind: ({ x, y }) => ({ link(i, j, perLink, at) { return perLink[at] = Math.hypot(x[j] - x[i], y[j] - y[i]); } }),
};
`;

describe("files that a proof was made with", () => {
  test("a cost is loaded only where the command line names it, with the digest of the proof", async () => {
    const input = join(scenarios, "demo.json");
    const [trace, mine] = [join(folder, "trace"), join(folder, "mine.mjs")];
    writeFileSync(mine, costFile(join(folder, "made")));
    const solve = ["solve", input, "--cost", mine, "--gate", "4", "--births", "3,2", "-q", "-o", join(folder, "o")];
    expect((await rmap(solve)).code).toBe(0);
    const proof = readFileSync(join(folder, "o/proof.json"), "utf8");
    expect(JSON.parse(proof).overrides.cost).toMatchObject({
      file: mine,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });

    const named = await check(proof, input, "--cost", mine);
    expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining("the proof holds") });
    expect(named.stdout).toContain(`made with   --cost ${mine} --gate 4 --births 3,2`);
    // The same formulas, but other bytes: nothing says that they are the same.
    writeFileSync(mine, costFile(trace));
    expect(await check(proof, input)).toMatchObject({ code: 2, stderr: expect.stringContaining("not opened") });
    const other = await check(proof, input, "--cost", mine);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("its SHA-256 digest is") });
    expect(existsSync(trace)).toBe(false);
    // A version that stated no digest: the costs themselves must be the same.
    const old = JSON.parse(proof);
    delete old.overrides.cost.sha256;
    expect((await check(JSON.stringify(old), input)).code).toBe(2);
    expect(existsSync(trace)).toBe(false);
    expect((await check(JSON.stringify(old), input, "--cost", mine)).code).toBe(0);
    expect(existsSync(trace)).toBe(true);
  });

  test("links are read only where the command line names them; neither file is named where the proof has none", async () => {
    const links = join(folder, "links.csv");
    const input = join(scenarios, "data/opensky_uk_60s.csv");
    writeFileSync(links, "frame,i,j,link\n0,0,0,forbidden\n");
    const solve = ["solve", input, "--links", links, "--passes", "1", "-q", "-o", join(folder, "links")];
    expect((await rmap(solve)).code).toBe(0);
    const proof = readFileSync(join(folder, "links/proof.json"), "utf8");
    expect(await check(proof, input)).toMatchObject({ code: 2, stderr: expect.stringContaining("not opened") });
    expect((await check(proof, input, "--links", links)).code).toBe(0);
    const plain = honest("uniform-10x5");
    for (const option of ["--links", "--cost"]) {
      const { code, stderr } = await check(JSON.stringify(plain.proof), plain.input, option, links);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("without such a file") });
    }
  });
});

describe("how the detections of a proof were read", () => {
  test.each(["2", "0"])("the length of z, %s, is stated in it", async (scale) => {
    const input = join(folder, `deep-${scale}.csv`);
    const places = Array.from(
      { length: 24 },
      (_, n) => `${n >> 2},${n >> 2}.${n % 4},${(n % 4) * 9},${(n % 4) * 5 + (n >> 2)}`,
    );
    writeFileSync(input, `frame,x,y,z\n${places.join("\n")}\n`);
    expect((await rmap(["solve", input, "--z-scale", scale, "-q", "-o", join(folder, "deep")])).code).toBe(0);
    const proof = readFileSync(join(folder, "deep/proof.json"), "utf8");
    expect(await check(proof, input)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`made with   --z-scale ${scale};`),
    });
    expect(await check(proof, input, "--z-scale", "1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the proof was made with --z-scale ${scale}`),
    });
  });

  const rows = Array.from({ length: 24 }, (_, n) => `${n >> 2};${n % 4},${n >> 2}25;${(n >> 2) * 2},5;${n % 7},5`);
  const named = ["--columns", "frame=bild,x=rechts,y=hoch", "--dt", "0.5", "--decimal", "comma"];

  test("is stated in it, so that a check needs no options, and takes no others", async () => {
    const input = join(folder, "messy.csv");
    writeFileSync(input, `bild;rechts;hoch;weit\n${rows.join("\n")}\n`);
    expect((await rmap(["solve", input, ...named, "-q", "-o", join(folder, "messy")])).code).toBe(0);
    const proof = readFileSync(join(folder, "messy/proof.json"), "utf8");
    expect(JSON.parse(proof).overrides).toMatchObject({
      columns: { frame: "bild", x: "rechts", y: "hoch" },
      dt: 0.5,
      decimal: "comma",
    });
    const { code, stdout } = await check(proof, input);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("the proof holds") });
    expect(stdout).toContain("made with   --columns frame=bild,x=rechts,y=hoch --dt 0.5 --decimal comma;");
    expect((await check(proof, input, ...named)).code).toBe(0);
    for (const [option, other, was] of [
      ["--columns", "frame=bild,x=hoch,y=rechts", "frame=bild,x=rechts,y=hoch"],
      ["--dt", "1", "0.5"],
      ["--decimal", "point", "comma"],
    ]) {
      const says = `rmap: ${option} ${other}: the proof was made with ${option} ${was}; leave it out: the proof states it\n`;
      expect(await check(proof, input, option, other)).toMatchObject({ code: 2, stdout: "", stderr: says });
    }
    // Other columns are other costs, whoever says so.
    const other = JSON.parse(proof);
    other.overrides.columns = { frame: "bild", x: "rechts", y: "weit" };
    expect((await check(JSON.stringify(other), input)).stderr).toContain("is about other costs than those of");
    // A proof of a version that did not state it needs the options.
    for (const key of ["columns", "dt", "decimal"]) delete other.overrides[key];
    expect((await check(JSON.stringify(other), input)).code).toBe(2);
    expect((await check(JSON.stringify(other), input, ...named)).code).toBe(0);
    const scenario = await check(proof, join(scenarios, "demo.json"));
    expect(scenario.stderr).toContain("was made from a file of detections with --columns, and ");
    for (const wrong of [{ columns: { w: "x" } }, { columns: "x" }, { dt: 0 }, { dt: "1" }, { decimal: "," }]) {
      const { overrides, ...rest } = JSON.parse(proof);
      const said = await check(JSON.stringify({ ...rest, overrides: { ...overrides, ...wrong } }), input);
      expect({ ...said, wrong }).toMatchObject({ code: 2, stdout: "" });
      expect(said.stderr).toMatch(/^rmap: .*overrides\.(columns|dt|decimal).*\n$/);
    }
  });
});
