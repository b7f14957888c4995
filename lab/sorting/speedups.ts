/** Compares the boards with each other from rows of `rmap bench auction`. */
import type { AuctionRow } from "../rows/auction.js";

export interface AuctionSpeedup {
  /** What is compared, as in "(a) matrix over (c) packed, one submission". */
  readonly name: string;
  readonly form: AuctionRow["form"];
  /** Of each problem that has both. */
  readonly ratios: readonly { readonly problem: string; readonly ratio: number }[];
}

type Run = Pick<AuctionRow, "board" | "loop">;

const COMPARED: readonly { readonly name: string; readonly slow: Run; readonly fast: Run | "cpu" }[] = [
  {
    name: "(a) with the host's test over (d)",
    slow: { board: "matrix", loop: "host" },
    fast: { board: "workgroup", loop: "submit" },
  },
  {
    name: "(a) over (b), the host's test in both",
    slow: { board: "matrix", loop: "host" },
    fast: { board: "lock", loop: "host" },
  },
  {
    name: "(a) over (c), the host's test in both",
    slow: { board: "matrix", loop: "host" },
    fast: { board: "packed", loop: "host" },
  },
  {
    name: "(a) over (b), one submission",
    slow: { board: "matrix", loop: "submit" },
    fast: { board: "lock", loop: "submit" },
  },
  {
    name: "(a) over (c), one submission",
    slow: { board: "matrix", loop: "submit" },
    fast: { board: "packed", loop: "submit" },
  },
  { name: "(d) over one CPU core", slow: { board: "workgroup", loop: "submit" }, fast: "cpu" },
];

/** Name of the recording and what was done to it. */
export function problemOf({ set, tiles, crowd, border }: AuctionRow): string {
  return [
    tiles > 1 ? `${set} × ${tiles * tiles}` : set,
    ...(crowd === 1 ? [] : [`d_max × ${crowd}`]),
    ...(border ? ["border rule"] : []),
  ].join(", ");
}

/**
 * Ratios of the median times of a frame, above 1 where the first named is the slower; medians, as a pause of the host in one of forty frames
 * would dominate the mean. A comparison is left out where no problem has both sides.
 */
export function auctionSpeedups(rows: readonly AuctionRow[]): AuctionSpeedup[] {
  return (["list", "dense"] as const).flatMap((form) =>
    COMPARED.flatMap(({ name, slow, fast }) => {
      const own = rows.filter((row) => row.form === form);
      const of = ({ board, loop }: Run) => own.filter((row) => row.board === board && row.loop === loop);
      const ratios = of(slow).flatMap((row) => {
        const problem = problemOf(row);
        const other = fast === "cpu" ? row : of(fast).findLast((one) => problemOf(one) === problem);
        if (other === undefined) return [];
        const time = fast === "cpu" ? other.cpuMilliseconds : other.milliseconds;
        return [{ problem, ratio: row.milliseconds.median / time.median }];
      });
      return ratios.length === 0 ? [] : [{ name, form, ratios }];
    }),
  );
}
