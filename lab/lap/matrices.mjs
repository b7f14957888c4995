/** Seeded cost matrices for the LAP benchmarks: dense row-major f64, with a mask of forbidden entries for the sparse ones. */

/** A generator that gives the same numbers in [0, 1) for the same seed (mulberry32), so that a row can be run again. */
function uniform(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every entry present, costs uniform in [0, 1). */
export function denseUniform(n, seed) {
  const random = uniform(seed);
  return { n, costs: Float64Array.from({ length: n * n }, random), forbidden: new Uint8Array(n * n) };
}

/** Costs uniform in [0, 1); an entry is allowed with probability `density`, and on the diagonal always. */
export function sparseUniform(n, density, seed) {
  const random = uniform(seed);
  const costs = Float64Array.from({ length: n * n }, random);
  const forbidden = Uint8Array.from({ length: n * n }, (_, at) =>
    random() < density || Math.floor(at / n) === at % n ? 0 : 1,
  );
  return { n, costs, forbidden };
}

/**
 * One frame pair of tracking: n targets in a square, each moved by its speed V in [1, 2); cost ||a − b| − V|, allowed below
 * the gate |a − b| < 5 V. The square is so large that about `degree` targets lie within a gate; the target's own next point
 * always does.
 */
export function gated(n, degree, seed) {
  const random = uniform(seed);
  const side = Math.sqrt((n * Math.PI * 7.5 ** 2) / degree);
  const targets = Array.from({ length: n }, () => {
    const [x, y, speed, angle] = [random() * side, random() * side, 1 + random(), random() * 2 * Math.PI];
    return { x, y, speed, nextX: x + speed * Math.cos(angle), nextY: y + speed * Math.sin(angle), place: random() };
  });
  const next = targets.toSorted((a, b) => a.place - b.place);
  const costs = new Float64Array(n * n);
  const forbidden = new Uint8Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const { x, y, speed } = targets[i];
      const distance = Math.hypot(next[j].nextX - x, next[j].nextY - y);
      // Noise, or every target would find its own next point at cost 0.
      costs[i * n + j] = Math.abs(distance - speed + 0.3 * (random() - 0.5));
      forbidden[i * n + j] = distance < 5 * speed ? 0 : 1;
    }
  }
  return { n, costs, forbidden };
}
