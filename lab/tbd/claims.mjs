/** What rows of lab/tbd/sweep.mjs say, as Markdown: the best time of each variant, and the six claims of Mazurek 2010. */

const SHOWN = [1, 2, 5, 10, 20];

/** @param rows of one device and size */
export function tablesOf(rows) {
  const [{ device, width, vectors, idle = 0 }] = rows;
  const schemes = bestByScheme(rows);
  const shown = SHOWN.filter((d) => d <= rows[0].milliseconds.length);
  const lines = [...schemes].map(([scheme, best]) => {
    const times = shown.map((d) => `${best[d - 1].time.toFixed(4)} (${best[d - 1].workgroup.join(" × ")})`);
    const least = best.reduce((a, b, n) => (b.time < best[a].time ? n : a), 0);
    const count = rows.filter((row) => row.scheme === scheme).length;
    return `| ${[scheme, ...times, least + 1, count].join(" | ")} |`;
  });
  const head = ["variant", ...shown.map((d) => `D = ${d}`), "best D", "workgroups"];
  const claims = claimsOf(schemes, { pixels: width * width, vectors, idle });
  return [
    `${device}, ${width}², ${vectors} vectors: ms an input frame, the best of the workgroups, and which it is; ${idle} ms are those of a pass of one idle workgroup`,
    "",
    `| ${head.join(" | ")} |`,
    `|${"---|".repeat(head.length)}`,
    ...lines,
    ...(claims.length === 0 ? [] : ["", "| claim of [M10] on a GeForce 8800 | here |", "|---|---|"]),
    ...claims.map((line) => `| ${line.join(" | ")} |`),
    "",
  ].join("\n");
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

function claimsOf(schemes, { pixels, vectors, idle }) {
  const papers = [...schemes].filter(([scheme]) => /^(argument|constant)/.test(scheme));
  const depths = papers[0]?.[1].length ?? 0;
  if (papers.length < 16 || depths < 5) return [];
  /** The best of the variants that have these words, from one D to another. */
  const least = (words, from = 1, to = depths) => {
    const times = papers
      .filter(([scheme]) => words.every((word) => scheme.split(", ").includes(word)))
      .flatMap(([, best]) => best.slice(from - 1, to).map(({ time }) => time));
    return Math.min(...times);
  };
  const verdict = (holds) => (holds ? "holds" : "does not hold");
  const two = (value) => value.toFixed(2);
  const gain = least(["texture"], 1, 1) / least(["texture"], 2);
  const direct = least(["texture"], 1, 1) / least(["storage"], 1, 1);
  const later = least(["storage"], 5) / least(["texture"], 5);
  const perVector = ["loop", "unrolled"].map((body) => least(["argument", body]) / least(["constant", body]));
  const shared = least(["shared"]) / least(["register"]);
  const speed = (4 * pixels * 3 * vectors) / (1e9 * (least([], 1, 1) - idle));
  const unrolled = least(["loop"], 1, 1) / least(["unrolled"], 1, 1);
  const ours = ["all, storage", "in-place, storage"].flatMap((scheme) => {
    const best = schemes.get(scheme);
    if (best === undefined) return [];
    const [first, last] = [1, depths].map((d) => two(least([], d, d) / best[d - 1].time));
    return [
      [`beyond it: ${scheme}`, `${first} times as fast as the best of the sixteen at D = 1, ${last} at D = ${depths}`],
    ];
  });
  return [
    ["1. Texture with decimation is a few times as fast as without", `${verdict(gain >= 2)}: ${two(gain)} times`],
    [
      "2. At D = 1 direct reads are 10 % faster than texture, at larger D poor",
      `${verdict(direct > 1.02 && later > 1.1)}: at D = 1 texture takes ${two(direct)} of direct reads' time; from D = 5 on direct reads ${two(later)} of texture's`,
    ],
    [
      "3. A kernel per vector is best",
      `${verdict(Math.min(...perVector) > 1.02)}: the argument takes ${perVector.map(two).join(" (loop) and ")} (unrolled) of its time`,
    ],
    [
      "4. A register beats workgroup memory",
      `${verdict(shared > 1.02)}: workgroup memory takes ${two(shared)} of a register's time`,
    ],
    [
      "5. Memory transfers are the bottleneck",
      `at D = 1 the best moves ${two(speed)} TB/s, each vector's read of the frame counted and the time of an idle pass not`,
    ],
    [
      "6. At D = 1 unrolling is void",
      `${verdict(Math.abs(unrolled - 1) < 0.05)}: a loop takes ${two(unrolled)} of the unrolled time`,
    ],
    ...ours,
  ];
}
