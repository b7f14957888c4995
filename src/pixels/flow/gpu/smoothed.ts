/**
 * WGSL of `smoothed(thread)`: the median of each component of the flow over side × side pixels, borders repeated; with side 0 the flow itself.
 *
 * The median is a list of exchanges without loops, so that all values stay in registers: an array with computed indices would lie in memory.
 * Forgetful selection: among half of the values and two more, the least and the greatest cannot be the median and are dropped.
 *
 * @param side 0 or odd
 */
export function smoothedText(side: number): string {
  if (side === 0) {
    return `fn smoothed(thread: vec3u) -> vec2f {
  return flowAt((thread.z * run.height + thread.y) * run.width + thread.x);
}`;
  }
  const radius = (side - 1) / 2;
  const lines: string[] = [];
  for (let k = 0; k < side; k++) {
    lines.push(`let x${k} = clamped(i32(thread.x) + ${k - radius}, run.width);`);
    const row = `clamped(i32(thread.y) + ${k - radius}, run.height)`;
    lines.push(`let y${k} = (thread.z * run.height + ${row}) * run.width;`);
  }
  lines.push("var least: vec2f;");
  const all = side * side;
  const load = (n: number) => {
    lines.push(`var v${n} = flowAt(y${Math.floor(n / side)} + x${n % side});`);
    return `v${n}`;
  };
  const kept = Array.from({ length: (all + 3) / 2 }, (_, n) => load(n));
  for (let next = kept.length; ; next++) {
    lines.push(...endsOut(kept));
    kept.pop();
    kept.shift();
    if (next === all) break;
    kept.push(load(next));
  }
  return `fn smoothed(thread: vec3u) -> vec2f {\n  ${lines.join("\n  ")}\n  return ${kept[0]};\n}`;
}

/** Exchanges that bring the least of some values to the front and the greatest to the end. */
function endsOut(values: readonly string[]): string[] {
  const lines: string[] = [];
  const order = (a: number, b: number) => {
    if (a === b) return;
    const [low, high] = [values[a], values[b]];
    lines.push(`least = min(${low}, ${high}); ${high} = max(${low}, ${high}); ${low} = least;`);
  };
  const last = values.length - 1;
  const middle = Math.floor(values.length / 2);
  for (let k = 0; k < middle; k++) order(k, last - k);
  // Of an odd number the middle one may be either.
  for (let k = 1; k <= last - middle; k++) order(0, k);
  for (let k = middle; k < last; k++) order(k, last);
  return lines;
}
