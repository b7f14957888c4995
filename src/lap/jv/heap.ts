/**
 * Labelled columns as a binary heap by their distance: `heap` holds `size` columns, and `place` the position of each in it.
 */

/** Puts column j, whose distance has just been set or lowered, in its place from `at` upwards. */
export function raise(j: number, at: number, heap: Int32Array, place: Int32Array, distance: Float64Array): void {
  const d = distance[j];
  let here = at;
  while (here > 0) {
    const parent = (here - 1) >> 1;
    const other = heap[parent];
    if (distance[other] <= d) break;
    heap[here] = other;
    place[other] = here;
    here = parent;
  }
  heap[here] = j;
  place[j] = here;
}

/** Removes the nearest column, heap[0], from a heap of `size`; the heap then has size − 1. */
export function removeNearest(heap: Int32Array, size: number, place: Int32Array, distance: Float64Array): void {
  const left = size - 1;
  const last = heap[left];
  const d = distance[last];
  for (let at = 0; ; ) {
    let child = 2 * at + 1;
    if (child + 1 < left && distance[heap[child + 1]] < distance[heap[child]]) child++;
    if (child >= left || distance[heap[child]] >= d) {
      heap[at] = last;
      place[last] = at;
      return;
    }
    heap[at] = heap[child];
    place[heap[at]] = at;
    at = child;
  }
}
