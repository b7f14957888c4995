/** How the bound and the cost of the tracks close in while a solve runs. */
import { busy, progress } from "./state.js";

const [WIDTH, HEIGHT] = [280, 90];

export function Bounds() {
  const all = progress.value;
  const last = all[all.length - 1];
  if (last === undefined) return null;
  // Each solve by which costs are learned has bounds of its own; the last ones are shown.
  const began = all.findLastIndex((row, n) => n > 0 && (row.iteration ?? 0) <= (all[n - 1].iteration ?? 0));
  const rows = all.slice(Math.max(0, began)).filter(({ phase }) => phase === "bounds");
  const doing = busy.value !== null;
  const words =
    last.phase === "costs" ? "learning the costs" : last.phase === "proof" ? "checking the proof" : "bound and cost";
  return (
    <div>
      <p role="status">
        {doing ? `${busy.value}: ${words}, ${last.seconds.toFixed(1)} s` : `Solved in ${last.seconds.toFixed(1)} s`}
      </p>
      {rows.length > 1 && (
        <Curves lower={rows.map((row) => row.lowerBound ?? 0)} upper={rows.map((row) => row.upperBound ?? 0)} />
      )}
    </div>
  );
}

function Curves({ lower, upper }: { readonly lower: readonly number[]; readonly upper: readonly number[] }) {
  const known = [...lower, ...upper].filter(Number.isFinite);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const path = (values: readonly number[]) =>
    values
      .map(
        (value, n) =>
          [(n / (values.length - 1)) * WIDTH, HEIGHT * (1 - (value - least) / (most - least || 1))] as const,
      )
      .filter(([, y]) => Number.isFinite(y))
      .map(([x, y], n) => `${n === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`)
      .join("");
  return (
    <svg
      class="bounds"
      viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`}
      role="img"
      aria-label={`bound ${lower[lower.length - 1]}, cost ${upper[upper.length - 1]}`}
    >
      <path class="upper" d={path(upper)} />
      <path class="lower" d={path(lower)} />
    </svg>
  );
}
