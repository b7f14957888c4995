import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { compileFormulas, type FormulaCost } from "../../src/costs/formula/compile.js";
import { createLinkPricer } from "../../src/costs/gpu-pricing.js";
import { loadModel, type ModelSource } from "../../src/costs/model-source.js";
import type { ModelName } from "../../src/costs/models/cost-models.js";
import { type PricedDetections, priceDetections } from "../../src/costs/price-detections.js";
import { createStorage, readStorage, uploadStorage } from "../../src/gpu/buffers.js";
import { disagreementOnDevice } from "../../src/map/gpu/gpu-samples.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { tripletCost } from "../../src/map/instance/instance.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { useSoftwareSession } from "../gpu/software-session.js";

const session = useSoftwareSession();

const mismatch = "abs(hypot(dx, dy) - hypot(vx_i, vy_i) * dt)";
/** The built-in costs as formulas. */
const FORMULAS: Record<ModelName, FormulaCost> = {
  euclidean: {
    numbers: { chord: "hypot(x_j - x_i, y_j - y_i)" },
    pair: "abs(chord - hypot(vx_i, vy_i) * dt)",
    triplet: "abs(chord_ij - chord_jk)",
  },
  spline: {
    numbers: { length: "arc(dx, dy, vx_i * dt, vy_i * dt, vx_j * dt, vy_j * dt)" },
    pair: mismatch,
    triplet: "abs(length_jk - length_ij)",
  },
  likelihood: {
    numbers: { ax: "dx / (2 w)", ay: "dy / (2 w)" },
    pair: "((dx - (vx_i + vx_j) dt / 2)^2 + square(dy - (vy_i + vy_j) dt / 2)) / (2 s^2)",
    triplet: "(ax_jk - ax_ij)^2 + (ay_jk - ay_ij)^2",
    parameters: { s: 1, w: 1 },
  },
};

/** Far from the origin, where positions in f32 are good to 0.06 alone. */
const drawn = simulate({ targets: 8, frames: 5, noise: { position: 0.1, velocity: 0.2 } }, 3);
const detections = { ...drawn, x: drawn.x.map((x) => x + 1e6), y: drawn.y.map((y) => y - 1e6) };
const price = (cost: ModelSource, parameters = {}, from = detections) =>
  priceDetections(
    from,
    { cost, parameters, gate: "none", birthDeath: "none", noise: { position: 0.1, velocity: 0.2 } },
    { threads: 1 },
  );
const compiled = (cost: FormulaCost) => compileFormulas(cost, "cost");

const near = (found: ArrayLike<number>, wanted: ArrayLike<number>, digits: number) => {
  expect(found.length).toBe(wanted.length);
  for (let k = 0; k < wanted.length; k++) {
    expect(Math.abs(found[k] - wanted[k])).toBeLessThanOrEqual(digits * (1 + Math.abs(wanted[k])));
  }
};
const numbersOf = ({ triplets }: PricedDetections) => {
  if (triplets.kind !== "implicit") throw new Error("implicit triplets are the default");
  return triplets;
};

describe.each(Object.keys(FORMULAS) as ModelName[])("%s as formulas", (name) => {
  const both = async () => {
    const own = await price(name);
    const [s2, w2] = own.pricing.constants;
    const parameters = name === "likelihood" ? { s: Math.sqrt(s2), w: Math.sqrt(w2) } : {};
    return { own, formulas: await price(await compiled(FORMULAS[name]), parameters) };
  };

  test("comes to the built-in cost's numbers to rounding, by the same rule", async () => {
    const { own, formulas } = await both();
    near(formulas.links.cost, own.links.cost, 1e-13);
    expect(numbersOf(formulas).rule).toBe(numbersOf(own).rule);
    near(numbersOf(formulas).perLink, numbersOf(own).perLink, 1e-13);
  });

  test("in WGSL comes to the same but for f32", async () => {
    const { formulas } = await both();
    const { links, pricing } = formulas;
    const { perLink } = numbersOf(formulas);
    const ends = [links.tail, links.head].map((end) => uploadStorage(session(), "ends", Uint32Array.from(end)));
    const out = [links.tail.length, perLink.length].map((length) => createStorage(session(), "out", length));
    const pricer = await createLinkPricer(session(), pricing);
    await pricer?.({ edges: links.tail.length, tail: ends[0], head: ends[1], cost: out[0], perEdge: out[1] });
    const [c, m] = (await readStorage(session(), out)).map((bytes) => new Float32Array(bytes));
    for (const buffer of [...ends, ...out]) buffer.destroy();
    // A few f32 digits of the largest: C is a difference, or a square of one.
    near(c, links.cost, 2 ** -16);
    near(m, perLink, 2 ** -18);
  });
});

test("a triplet formula that is no rule is stored, or computed on either device; attributes and parameters serve on both", async () => {
  const area = Float64Array.from(detections.x, (_, d) => 1 + (d % 7));
  const cost: FormulaCost = {
    numbers: { growth: "log(area_j / area_i)" },
    pair: "hypot(dx, dy) + weight * abs(growth)",
    triplet: "max(0, growth_jk - growth_ij) + 1e-3 * (dx_jk - dx_ij)^2",
    parameters: { weight: 3 },
  };
  const source = await compiled(cost);
  expect(source.rule).toBeNull();
  await expect(price(source)).rejects.toThrow(/reads the attribute area/);
  const { links, triplets } = await price(source, {}, { ...detections, attributes: new Map([["area", area]]) });
  const growth = (e: number) => Math.log(area[links.head[e]] / area[links.tail[e]]);
  const dx = (e: number) => detections.x[links.head[e]] - detections.x[links.tail[e]];
  const dy = (e: number) => detections.y[links.head[e]] - detections.y[links.tail[e]];
  if (triplets.kind !== "csr") throw new Error("they are to be stored");
  for (let e = 0; e < 40; e++) {
    expect(links.cost[e]).toBeCloseTo(Math.hypot(dx(e), dy(e)) + 3 * Math.abs(growth(e)), 12);
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      const f = triplets.successor[t];
      expect(triplets.cost[t]).toBeCloseTo(Math.max(0, growth(f) - growth(e)) + 1e-3 * (dx(f) - dx(e)) ** 2, 12);
    }
  }
  expect((await loadModel(source, {})).wgsl?.pair).toContain("attributeOf(0u, link.j)");
  const { graph } = buildGraph(
    await priceDetections(
      { ...detections, attributes: new Map([["area", area]]) },
      { cost: source, gate: "none", birthDeath: "none", triplets: "implicit" },
      { threads: 1 },
    ),
  );
  if (graph.triplets.kind !== "implicit") throw new Error("they are to be computed");
  for (let t = 0; t < triplets.rowStart[40]; t++) {
    const e = triplets.rowStart.findIndex((begin) => begin > t) - 1;
    expect(tripletCost(graph, e, triplets.successor[t])).toBe(triplets.cost[t]);
  }
  expect(await disagreementOnDevice(session(), graph, graph.triplets)).toBeNull();
});

const DEEP = /^cost\.pair, column 1: is nested more than 200 deep: /;

/** So many numbers, each of which states the one before twice or deeper. */
const nested = (count: number, of: (last: string) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, k) => [`n${k}`, of(k === 0 ? "dx" : `n${k - 1}`)]));

test("a formula may be as large as the limits, and be computed", async () => {
  const numbers = nested(12, (last) => `${last} + ${last}`);
  const source = await compiled({ numbers, pair: "n11", triplet: `abs(dx_ij - dx_jk)${" + 0".repeat(190)}` });
  const { links } = await price(source);
  near(
    links.cost,
    Float64Array.from(links.cost, (_, e) => 4096 * (detections.x[links.head[e]] - detections.x[links.tail[e]])),
    1e-13,
  );
});

test.each<[Partial<FormulaCost>, RegExp]>([
  [{ pair: "abs(dx +* dy)" }, /^cost\.pair, column 9: .*: abs\(dx \+⟨here⟩\* dy\)/],
  [{ pair: "dx + speed" }, /^cost\.pair, column 6: speed is neither a parameter/],
  [{ pair: "dx + gamma(dy)" }, /^cost\.pair, column 6: there is no function gamma, only abs/],
  [{ pair: "hypot(dx)" }, /^cost\.pair, column 1: hypot takes 2 and is given 1/],
  [{ pair: "dx > dy" }, /^cost\.pair, column 4: > is not arithmetic/],
  [{ pair: "x_i = 3" }, /^cost\.pair, column 1: is not made of numbers/],
  [{ pair: "dx.constructor" }, /^cost\.pair, column 1: is not made of numbers/],
  [{ triplet: "abs(dx_ij - dz_jk)" }, /^cost\.triplet, column 13: dz_jk is neither a parameter nor a number/],
  [{ numbers: { dx: "1" } }, /^cost\.numbers: "dx" is taken/],
  [{ numbers: { a: "b + 1" } }, /^cost\.numbers\.a, column 1: b is neither/],
  [{ pair: `${"-".repeat(3900)}1` }, DEEP],
  [{ pair: `2${"^2".repeat(1990)}` }, DEEP],
  [{ pair: `1${"+1".repeat(1990)}` }, DEEP],
  [{ pair: `${"(".repeat(1900)}1${")".repeat(1900)}` }, DEEP],
  [{ pair: `${"abs(".repeat(790)}1${")".repeat(790)}` }, DEEP],
  [{ numbers: nested(300, (last) => `1 + ${last}`) }, /^cost\.numbers\.n199, column 1: is nested more than 200 deep: /],
  [
    { numbers: nested(30, (last) => `${last} * ${last}`) },
    /^cost\.numbers\.n12, column 1: has 16383 parts once its names are replaced by what they stand for, more than 10000: /,
  ],
])("what is wrong with %o is said with its column", async (part, message) => {
  const error = await compiled({ pair: "dx", triplet: "0", ...part }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(InputError);
  expect((error as Error).message).toMatch(message);
});
