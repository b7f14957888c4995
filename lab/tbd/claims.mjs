/** What rows of lab/tbd/variants.mjs on one device say about the six claims of Mazurek 2010. */

/** Prints the best time over workgroups of every variant and decimation, then the claims, each decided or not by what is there. */
export function printClaims(device, side, rows) {
  const decimations = [...new Set(rows.map((row) => row.decimation))].sort((a, b) => a - b);
  const workgroups = new Set(rows.map((row) => row.workgroup.join("x")));
  const isPapers = ({ kernel }) => kernel === "argument" || kernel === "constant";
  // The claims compare variants in the decimations and workgroups that all sixteen have.
  const place = ({ decimation, workgroup }) => `${decimation} ${workgroup}`;
  const schemesAt = new Map();
  for (const row of rows.filter(({ variant }) => isPapers(variant))) {
    schemesAt.set(place(row), (schemesAt.get(place(row)) ?? new Set()).add(row.scheme));
  }
  const comparable = rows.filter((row) => schemesAt.get(place(row))?.size === 16);
  const ms = (row) => (row === null ? Number.NaN : row.milliseconds.median);
  /** The best over workgroups for a variant and decimation; over all decimations where none is given. */
  const best = (matches, decimation = null) => {
    const own = comparable.filter(
      (row) => matches(row.variant) && (decimation === null || row.decimation === decimation),
    );
    return own.length === 0 ? null : own.reduce((a, b) => (b.milliseconds.median < a.milliseconds.median ? b : a));
  };
  console.log(
    `${device}, ${side}², 13 vectors, ms an input frame, best of workgroups ${[...workgroups].join(", ")}; all states within 1e-6 of the twin's`,
  );
  console.log(`${"variant".padEnd(40)}${decimations.map((d) => `D ${d}`.padStart(9)).join("")}`);
  for (const scheme of new Set(rows.map((row) => row.scheme))) {
    const own = rows.filter((row) => row.scheme === scheme);
    const least = (d) => Math.min(...own.filter((row) => row.decimation === d).map((row) => row.milliseconds.median));
    const cells = decimations.map((d) => (Number.isFinite(least(d)) ? least(d).toFixed(4) : "–").padStart(9));
    console.log(`${scheme.padEnd(40)}${cells.join("")}`);
  }
  const papers = (wanted) => (variant) =>
    isPapers(variant) && Object.entries(wanted).every(([part, word]) => variant[part] === word);
  if (!comparable.some((row) => row.decimation === 1) || !comparable.some((row) => row.decimation >= 5)) {
    console.log("the claims are not decided: rows of all sixteen variants at D 1 and at some D from 5 on are wanted");
    return;
  }
  const at1 = (wanted) => ms(best(papers(wanted), 1));
  const top = (wanted) => ms(best(papers(wanted)));
  const least = (wanted, from) =>
    Math.min(...comparable.filter((row) => row.decimation >= from && papers(wanted)(row.variant)).map(ms));
  const say = (n, holds, text) => {
    console.log(`claim ${n} ${holds ? "holds" : "does not hold"}: ${text}`);
  };
  const gain = at1({ input: "texture" }) / least({ input: "texture" }, 2);
  say(1, gain >= 2, `texture with decimation is ${gain.toFixed(2)} times as fast as without`);
  const direct = at1({ input: "texture" }) / at1({ input: "storage" });
  const later = least({ input: "storage" }, 5) / least({ input: "texture" }, 5);
  say(
    2,
    direct > 1.02 && later > 1.1,
    `at D 1 texture takes ${direct.toFixed(2)} of direct reads' time; from D 5 on direct reads ${later.toFixed(2)} of texture's`,
  );
  const perVector = ["loop", "unrolled"].map(
    (body) => top({ kernel: "argument", body }) / top({ kernel: "constant", body }),
  );
  say(
    3,
    perVector.every((value) => value > 1.02),
    `the argument takes ${perVector.map((value) => value.toFixed(2)).join(" and ")} of a kernel per vector's time (loop, unrolled)`,
  );
  const shared = top({ carry: "shared" }) / top({ carry: "register" });
  say(4, shared > 1.02, `workgroup memory takes ${shared.toFixed(2)} of a register's time`);
  const { copied = Number.NaN, vectors = 13 } = best(papers({}), 1) ?? {};
  const bytes = 4 * side * side * 3 * vectors;
  const reached = bytes / (at1({}) / 1000) / copied;
  say(
    5,
    reached > 0.6,
    `at D 1 the best reads and writes at ${reached.toFixed(2)} of a copy's speed (${(copied / 1e12).toFixed(2)} TB/s, each vector's read of the frame counted)`,
  );
  const unrolled = at1({ body: "loop" }) / at1({ body: "unrolled" });
  say(6, Math.abs(unrolled - 1) < 0.05, `at D 1 a loop takes ${unrolled.toFixed(2)} of the unrolled time`);
  const ours = best((variant) => !isPapers(variant));
  const theirs = best(papers({}));
  if (ours === null) return;
  console.log(
    `beyond the paper: ${ours.scheme}, D ${ours.decimation}: ${ms(ours).toFixed(4)} ms; the best of the sixteen: ${theirs.scheme}, D ${theirs.decimation}: ` +
      `${ms(theirs).toFixed(4)} ms; ratio ${(ms(theirs) / ms(ours)).toFixed(2)}`,
  );
}
