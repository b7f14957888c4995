/** Up to this number, sorting by insertion is faster than the sort of typed arrays. */
const FEW = 48;

/** Sorts the edges in places `begin` … `end` − 1 by m, and those of equal m by number. */
export function sortByM(edges: Uint32Array, begin: number, end: number, m: Float64Array): void {
  if (end - begin > FEW) {
    edges.subarray(begin, end).sort((e, f) => m[e] - m[f] || e - f);
    return;
  }
  for (let k = begin + 1; k < end; k++) {
    const e = edges[k];
    let at = k;
    for (; at > begin; at--) {
      const before = edges[at - 1];
      if (m[before] < m[e] || (m[before] === m[e] && before < e)) break;
      edges[at] = before;
    }
    edges[at] = e;
  }
}
