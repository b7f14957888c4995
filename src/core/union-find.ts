/** The root of the set that `at` is in, where `root` has the way to it; the way is halved as it is gone (R. E. Tarjan & J. van Leeuwen 1984). */
export function rootOf(root: Int32Array, at: number): number {
  let here = at;
  while (root[here] !== here) {
    root[here] = root[root[here]];
    here = root[here];
  }
  return here;
}
