/** Programs of instances in libmpopt's text, in CPLEX LP: as it states them, and as rmap does. */

/**
 * @param {import("./libmpopt-instance.mjs").Jug} jug
 * @param {boolean} [isInteger] whether variables are 0 or 1, or anything between
 */
export function programOf({ detections, moves, divisions, sets }, isInteger = true) {
  /** @type {string[][]} */
  const [terms, names] = [[], []];
  /** @type {Map<number, string[]>[]} */
  const [into, out] = [new Map(), new Map()];
  const put = (/** @type {Map<number, string[]>} */ ends, /** @type {number} */ id, /** @type {string} */ name) => {
    const known = ends.get(id);
    if (known === undefined) ends.set(id, [name]);
    else known.push(name);
  };
  const add = (/** @type {string} */ name, /** @type {number} */ cost) => {
    names.push(name);
    terms.push(`${cost < 0 ? "-" : "+"} ${Math.abs(cost)} ${name}`);
    return name;
  };
  for (const [id, { cost, begins, ends }] of detections) {
    add(`h${id}`, cost);
    put(into, id, add(`a${id}`, begins));
    put(out, id, add(`d${id}`, ends));
  }
  for (const [n, [i, j, cost]] of moves.entries()) {
    put(out, i, add(`m${n}`, cost));
    put(into, j, `m${n}`);
  }
  for (const [n, [i, j, k, cost]] of divisions.entries()) {
    put(out, i, add(`v${n}`, cost));
    for (const to of [j, k]) put(into, to, `v${n}`);
  }
  const rows = [...detections.keys()].flatMap((id) =>
    [into, out].map((ends) => `${(ends.get(id) ?? []).join("\n + ")} - h${id} = 0`),
  );
  for (const set of sets) rows.push(`${set.map((id) => `h${id}`).join(" + ")} <= 1`);
  const kind = isInteger ? `Binary\n${names.join("\n")}` : `Bounds\n${names.map((name) => `${name} <= 1`).join("\n")}`;
  return `Minimize\n obj: ${terms.join("\n ")}\nSubject To\n${rows.join("\n")}\n${kind}\nEnd\n`;
}

/**
 * The linear program of the same text with twins (docs/explanation/mathematics.md §1.3): divisions cost their two links and an amount of their mother, as in made texts.
 * @param {import("./libmpopt-instance.mjs").Jug} jug
 * @param {"none" | "daughters" | "cliques"} kind with a row for each mother and daughter: of the two links from mother and twin to her, and of the mother's being unused or ending, at most one; or with
 *     one for each mother and set of daughters that exclude each other
 */
export function twinsProgramOf(jug, kind) {
  const linkCost = new Map(jug.moves.map(([i, j, cost]) => [`${i},${j}`, cost]));
  const more = new Map(
    jug.divisions.map(([i, j, k, cost]) => [
      i,
      cost - (linkCost.get(`${i},${j}`) ?? 0) - (linkCost.get(`${i},${k}`) ?? 0),
    ]),
  );
  const dividing = jug.moves.filter(([i]) => more.has(i));
  const twins = /** @type {[number, number, number][]} */ (
    dividing.map(([i, j, cost]) => [-i - 1, j, cost + (more.get(i) ?? 0)])
  );
  const detections = new Map(jug.detections);
  for (const i of more.keys()) detections.set(-i - 1, { time: 0, cost: 0, begins: 0, ends: 0 });
  const program = programOf({ ...jug, detections, moves: [...jug.moves, ...twins], divisions: [] }, false);
  const rows = Array.from(more.keys(), (i) => {
    const seconds = twins.flatMap(([from], n) => (from === -i - 1 ? [`m${jug.moves.length + n}`] : []));
    return `${seconds.join(" + ")} + d${i} - h${i} <= 0`;
  });
  if (kind !== "none") {
    const place = new Map(jug.moves.map(([i, j], n) => [`${i},${j}`, n]));
    /** @type {Map<number, Map<number, string>>} */
    const linksOf = new Map();
    for (const [n, [i, j]] of dividing.entries()) {
      const links = linksOf.get(i) ?? new Map();
      linksOf.set(i, links.set(j, `m${place.get(`${i},${j}`)} + m${jug.moves.length + n}`));
    }
    const setsOf = kind === "cliques" ? setsByMember(jug.sets) : new Map();
    for (const [i, links] of linksOf) {
      for (const together of cliquesAmong([...links.keys()], setsOf))
        rows.push(`${together.map((j) => links.get(j)).join("\n + ")} + d${i} - h${i} <= 0`);
    }
  }
  return program
    .replaceAll("h-", "ht")
    .replaceAll("a-", "at")
    .replaceAll("d-", "dt")
    .replace("\nBounds", `\n${rows.join("\n")}\nBounds`);
}

/** @param {readonly (readonly number[])[]} sets @returns {Map<number, (readonly number[])[]>} */
function setsByMember(sets) {
  const setsOf = new Map();
  for (const set of sets) for (const id of set) setsOf.set(id, [...(setsOf.get(id) ?? []), set]);
  return setsOf;
}

/** What sets have of some ids, the largest of them, and those ids alone that are in none. @param {readonly number[]} ids @param {Map<number, (readonly number[])[]>} setsOf */
function cliquesAmong(ids, setsOf) {
  const all = new Map();
  for (const id of ids) {
    for (const set of setsOf.get(id) ?? [[id]]) {
      const inside = set.filter((one) => ids.includes(one));
      all.set(inside.join(), inside);
    }
  }
  const cliques = [...all.values()];
  const isWithin = (/** @type {number[]} */ one, /** @type {number[]} */ other) =>
    one.length < other.length && one.every((id) => other.includes(id));
  return cliques.filter((one) => !cliques.some((other) => isWithin(one, other)));
}
