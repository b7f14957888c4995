/**
 * Instances of cell tracking in the text that libmpopt reads (github.com/vislearn/libmpopt, "jug"; S. Haller et al., "A primal-dual solver for large-scale tracking-by-assignment", AISTATS 2020),
 * as instances of rmap:
 *
 *     H t i cost                 detection i of time t; the cost of using it
 *     APP n i cost               that of a track that begins with it, and DISAPP of one that ends with it
 *     MOVE n i j cost            link from i to j of the next time
 *     DIV n i j k cost           division of i into j and k
 *     CONFSET i + j + … <= 1     at most one of them is used
 */

import { group } from "d3-array";

/** @typedef {{ time: number, cost: number, begins: number, ends: number }} Hypothesis */
/** @typedef {{ detections: Map<number, Hypothesis>, moves: [number, number, number][], divisions: [number, number, number, number][], sets: number[][] }} Jug */

/** @param {string} text @returns {Jug} */
export function parseJug(text) {
  /** @type {Jug} */
  const jug = { detections: new Map(), moves: [], divisions: [], sets: [] };
  const one = (/** @type {string} */ id, /** @type {number} */ line) => {
    const found = jug.detections.get(Number(id));
    if (found === undefined) throw new Error(`line ${line}: detection ${id} has no line H before it`);
    return found;
  };
  for (const [n, line] of text.split(/\r?\n/).entries()) {
    const [kind, ...words] = line.trim().split(/\s+/);
    const numbers = words.map(Number);
    if (kind === "" || kind.startsWith("#")) continue;
    const lengths = /** @type {Record<string, number>} */ ({ H: 3, APP: 3, DISAPP: 3, MOVE: 4, DIV: 5 });
    if (kind === "CONFSET" && / <= 1$/.test(line.trimEnd()))
      jug.sets.push(
        words
          .slice(0, -2)
          .filter((word) => word !== "+")
          .map(Number),
      );
    else if (words.length !== lengths[kind] || numbers.some(Number.isNaN))
      throw new Error(`line ${n + 1}: is "${line}"; give H, APP, DISAPP, MOVE, DIV or CONFSET with their numbers`);
    else if (kind === "H") jug.detections.set(numbers[1], { time: numbers[0], cost: numbers[2], begins: 0, ends: 0 });
    else if (kind === "APP") one(words[1], n + 1).begins = numbers[2];
    else if (kind === "DISAPP") one(words[1], n + 1).ends = numbers[2];
    else if (kind === "MOVE") jug.moves.push([numbers[1], numbers[2], numbers[3]]);
    else jug.divisions.push([numbers[1], numbers[2], numbers[3], numbers[4]]);
  }
  return jug;
}

const keyOf = (/** @type {number[]} */ ...ids) => ids.join();

/**
 * The instance of rmap. Its first frame and its last have no detections, so that tracks begin and end everywhere alike. Where a detection that is used alone saves something, two more that stand for
 * that use are linked, the second of them in its sets. A division costs so much more than both its links as it does at least in any: where that is not the same for all
 * divisions of a detection, the instance is a relaxation, and its bound is one of the text's.
 * @param {Jug} jug
 */
export function instanceOf({ detections, moves, divisions, sets }) {
  const first = Math.min(...Array.from(detections.values(), ({ time }) => time));
  const last = Math.max(...Array.from(detections.values(), ({ time }) => time));
  /** @type {number[]} detections of each frame */
  const counts = new Array(last - first + 3).fill(0);
  /** @type {Map<number, { frame: number, i: number }>} */
  const place = new Map();
  const ends = table(["frame", "i", "birth", "death"]);
  for (const [id, { time, cost, begins, ends: dies }] of detections) {
    const at = { frame: time - first + 1, i: counts[time - first + 1]++ };
    place.set(id, at);
    ends.add(at.frame, at.i, cost + begins, dies);
  }
  const { surcharge, linkCost, isExact } = splitDivisions(moves, divisions);
  const pairs = table(["frame", "i", "j", "cost"]);
  for (const [link, cost] of linkCost) {
    const [i, j] = link.split(",").map(Number);
    const [from, to] = [placeOf(i), placeOf(j)];
    if (to.frame !== from.frame + 1) throw new Error(`${i} and ${j} are linked, and are not of consecutive times`);
    pairs.add(from.frame, from.i, to.i, cost + /** @type {Hypothesis} */ (detections.get(j)).cost);
  }
  const dividing = table(["frame", "i", "cost"]);
  for (const [i, cost] of surcharge) dividing.add(placeOf(i).frame, placeOf(i).i, cost);

  const exclusions = table(["frame", "i", "set"]);
  /** @type {Map<number, number[]>} */
  const setsOf = new Map();
  for (const [set, members] of sets.entries())
    for (const id of members) {
      exclusions.add(placeOf(id).frame, placeOf(id).i, set);
      setsOf.set(id, [...(setsOf.get(id) ?? []), set]);
    }
  let set = sets.length;
  for (const [id, { cost, begins, ends: dies }] of detections) {
    const alone = cost + begins + dies;
    if (!(alone < 0)) continue;
    const { frame, i } = placeOf(id);
    const [before, here] = [counts[frame - 1]++, counts[frame]++];
    ends.add(frame - 1, before, 0, 0);
    ends.add(frame, here, 0, 0);
    pairs.add(frame - 1, before, here, alone);
    if (!setsOf.has(id)) exclusions.add(frame, i, set);
    for (const one of setsOf.get(id) ?? [set++]) exclusions.add(frame, here, one);
  }
  return {
    place,
    isExact,
    problem: {
      counts,
      pairs: pairs.columns,
      ends: ends.columns,
      unused: 0,
      ...(surcharge.size > 0 && { divisions: dividing.columns }),
      ...(exclusions.columns.frame.length > 0 && { exclusions: exclusions.columns }),
    },
  };

  function placeOf(/** @type {number} */ id) {
    const found = place.get(id);
    if (found === undefined) throw new Error(`detection ${id} has no line H`);
    return found;
  }
}

/** Costs of links, those of divisions that are no moves among them, and how much more a division of each detection costs than both its links, so that no division costs more than in the text. */
function splitDivisions(/** @type {Jug["moves"]} */ moves, /** @type {Jug["divisions"]} */ divisions) {
  const linkCost = new Map(moves.map(([i, j, cost]) => [keyOf(i, j), cost]));
  /** @type {Map<number, number>} */
  const surcharge = new Map();
  const costOf = (/** @type {number} */ i, /** @type {number} */ j) => linkCost.get(keyOf(i, j));
  let isExact = true;
  for (const [i, j, k] of divisions)
    for (const to of [j, k]) {
      if (costOf(i, to) !== undefined) continue;
      isExact = false;
      linkCost.set(keyOf(i, to), 0);
    }
  for (const [i, j, k, cost] of divisions) {
    const more = cost - /** @type {number} */ (costOf(i, j)) - /** @type {number} */ (costOf(i, k));
    const known = surcharge.get(i);
    if (known !== undefined && Math.abs(more - known) > 1e-9 * Math.max(1, Math.abs(cost))) isExact = false;
    surcharge.set(i, Math.min(more, known ?? more));
  }
  // Any two links out of a detection that divides are a division in rmap.
  const said = new Set(divisions.map(([i, j, k]) => keyOf(i, Math.min(j, k), Math.max(j, k))));
  const targets = group(
    [...linkCost.keys()].map((link) => link.split(",").map(Number)),
    ([i]) => i,
  );
  for (const i of surcharge.keys()) {
    const { length } = targets.get(i) ?? [];
    const stated = divisions.filter(([mother]) => mother === i).length;
    if ((length * (length - 1)) / 2 > stated) isExact = false;
  }
  if (said.size !== divisions.length) throw new Error("a division stands twice");
  return { surcharge, linkCost, isExact };
}

/**
 * What tracks of the instance cost in the text. Where they have a link or a division that it does not, the second link of the two, or the link, is cut.
 * @param {Jug} jug
 * @param {ReturnType<typeof instanceOf>} instance
 * @param {{ tracks: Int32Array, parents: ReadonlyMap<number, number> }} solved the track of each detection, and the mother's of each daughter's
 */
export function costInText({ detections, moves, divisions }, { place, problem: { counts } }, { tracks, parents }) {
  const start = [0];
  for (const count of counts) start.push(start[start.length - 1] + count);
  const idOf = new Map(Array.from(place, ([id, { frame, i }]) => [start[frame] + i, id]));
  const moveCost = new Map(moves.map(([i, j, cost]) => [keyOf(i, j), cost]));
  const divisionCost = new Map(divisions.map(([i, j, k, cost]) => [keyOf(i, Math.min(j, k), Math.max(j, k)), cost]));
  /** @type {Map<number, number[]>} detections of each track in order, those that stand for a use alone among them */
  const members = group(tracks.keys(), (d) => tracks[d]);
  /** @type {Map<number, number[]>} */
  const next = new Map();
  const used = new Set();
  const add = (/** @type {number} */ from, /** @type {number} */ to) => {
    next.set(from, [...(next.get(from) ?? []), to]);
    used.add(from).add(to);
  };
  const alone = standIns(detections, place, counts, start);
  for (const [track, ofTrack] of members) {
    for (let n = 0; n + 1 < ofTrack.length; n++) {
      const [from, to] = [idOf.get(ofTrack[n]), idOf.get(ofTrack[n + 1])];
      if (from !== undefined && to !== undefined) add(from, to);
      else used.add(alone.get(ofTrack[n + 1]));
    }
    const mother = parents.get(track);
    if (mother === undefined) continue;
    const from = /** @type {number[]} */ (members.get(mother));
    add(
      /** @type {number} */ (idOf.get(/** @type {number} */ (from.at(-1)))),
      /** @type {number} */ (idOf.get(ofTrack[0])),
    );
  }
  let sum = 0;
  const entered = new Set();
  for (const [from, to] of next) {
    const [j, k] = to.toSorted((a, b) => a - b);
    const both = k === undefined ? undefined : divisionCost.get(keyOf(from, j, k));
    const single = to.map((one) => moveCost.get(keyOf(from, one)) ?? Number.POSITIVE_INFINITY);
    const cheaper = single.indexOf(Math.min(...single));
    if (both !== undefined) for (const one of to) entered.add(one);
    else if (single[cheaper] < Number.POSITIVE_INFINITY) entered.add(to[cheaper]);
    else next.delete(from);
    sum += both ?? (next.has(from) ? single[cheaper] : 0);
  }
  for (const id of used) {
    const { cost, begins, ends } = /** @type {Hypothesis} */ (detections.get(id));
    sum += cost + (entered.has(id) ? 0 : begins) + (next.has(id) ? 0 : ends);
  }
  return sum;
}

/** The detection that each stand-in stands for, in the order in which they were made. */
function standIns(/** @type {Jug["detections"]} */ detections, place, counts, start) {
  const at = counts.map(() => 0);
  for (const { frame } of place.values()) at[frame]++;
  /** @type {Map<number, number>} */
  const of = new Map();
  for (const [id, { cost, begins, ends }] of detections) {
    if (!(cost + begins + ends < 0)) continue;
    const { frame } = place.get(id);
    at[frame - 1]++;
    of.set(start[frame] + at[frame]++, id);
  }
  return of;
}

/** Rows as columns of numbers. */
function table(/** @type {string[]} */ names) {
  const columns = /** @type {any} */ (Object.fromEntries(names.map((name) => [name, /** @type {number[]} */ ([])])));
  return {
    columns,
    add(/** @type {number[]} */ ...row) {
      for (const [n, name] of names.entries()) columns[name].push(row[n]);
    },
  };
}
