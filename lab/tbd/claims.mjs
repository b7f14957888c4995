/** What rows of lab/tbd/sweep.mjs say: the best time of each variant, and the six claims of Mazurek 2010. */

const SHOWN = [1, 2, 5, 10, 20];

/** @param rows of one device and size */
export function printBest(rows) {
  const [{ device, width, vectors }] = rows;
  const schemes = bestByScheme(rows);
  console.log(
    `${device}, ${width}², ${vectors} vectors: best ms an input frame (workgroup) at D = ${SHOWN.join(", ")}`,
  );
  for (const [scheme, best] of schemes) {
    const shown = SHOWN.filter((d) => d <= best.length).map((d) => {
      const { time, workgroup } = best[d - 1];
      return `${time.toFixed(4)} (${workgroup.join(" × ")})`;
    });
    const least = best.reduce((a, b, n) => (b.time < best[a].time ? n : a), 0);
    const those = rows.filter((row) => row.scheme === scheme);
    console.log(`${scheme.padEnd(40)}${shown.join("  ")}  best at D ${least + 1}  ${those.length} workgroups`);
  }
  printClaims(schemes, rows[0]);
}

/** By variant, for each D the best workgroup and its time. */
function bestByScheme(rows) {
  const schemes = [...new Set(rows.map((row) => row.scheme))].sort();
  return new Map(
    schemes.map((scheme) => {
      const those = rows.filter((row) => row.scheme === scheme);
      const best = those[0].milliseconds.map((_, d) => {
        const { milliseconds, workgroup } = those.reduce((a, b) => (b.milliseconds[d] < a.milliseconds[d] ? b : a));
        return { time: milliseconds[d], workgroup };
      });
      return [scheme, best];
    }),
  );
}

function printClaims(schemes, { width, height, vectors, idle = 0 }) {
  const papers = [...schemes].filter(([scheme]) => /^(argument|constant)/.test(scheme));
  const depths = papers[0]?.[1].length ?? 0;
  if (papers.length < 16 || depths < 5) {
    console.log("the claims are not decided: rows of all sixteen variants at D 1 and at some D from 5 on are wanted");
    return;
  }
  /** The best of the variants that have these words, from one D to another. */
  const least = (words, from = 1, to = depths) => {
    const times = papers
      .filter(([scheme]) => words.every((word) => scheme.split(", ").includes(word)))
      .flatMap(([, best]) => best.slice(from - 1, to).map(({ time }) => time));
    return Math.min(...times);
  };
  const say = (n, holds, text) => console.log(`claim ${n} ${holds ? "holds" : "does not hold"}: ${text}`);
  const gain = least(["texture"], 1, 1) / least(["texture"], 2);
  say(1, gain >= 2, `texture with decimation is ${gain.toFixed(2)} times as fast as without`);
  const direct = least(["texture"], 1, 1) / least(["storage"], 1, 1);
  const later = least(["storage"], 5) / least(["texture"], 5);
  const ratios = `at D 1 texture takes ${direct.toFixed(2)} of direct reads' time; from D 5 on direct reads ${later.toFixed(2)} of texture's`;
  say(2, direct > 1.02 && later > 1.1, ratios);
  const perVector = ["loop", "unrolled"].map((body) => least(["argument", body]) / least(["constant", body]));
  const argument = perVector.map((value) => value.toFixed(2)).join(" and ");
  say(
    3,
    Math.min(...perVector) > 1.02,
    `the argument takes ${argument} of a kernel per vector's time (loop, unrolled)`,
  );
  const shared = least(["shared"]) / least(["register"]);
  say(4, shared > 1.02, `workgroup memory takes ${shared.toFixed(2)} of a register's time`);
  const speed = (4 * width * height * 3 * vectors) / (1e9 * (least([], 1, 1) - idle));
  console.log(`claim 5: at D 1 the best moves ${speed.toFixed(2)} TB/s, each vector's read of the frame counted`);
  const unrolled = least(["loop"], 1, 1) / least(["unrolled"], 1, 1);
  say(6, Math.abs(unrolled - 1) < 0.05, `at D 1 a loop takes ${unrolled.toFixed(2)} of the unrolled time`);
  for (const [scheme, best] of schemes) {
    if (/^(argument|constant)/.test(scheme)) continue;
    const at = [1, depths].map((d) => (least([], d, d) / best[d - 1].time).toFixed(2));
    console.log(`beyond the paper: ${scheme}: ${at[0]} times as fast as its best at D 1, ${at[1]} at D ${depths}`);
  }
}
