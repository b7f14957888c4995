import { frameOfDetections } from "../../core/detections.js";
import { raise, removeNearest } from "../../lap/jv/heap.js";
import type { Graph } from "../instance/instance.js";

/** How many detections are sought at most, and in how many frames around the one where a search begins. */
export interface Extent {
  readonly size: number;
  readonly frames: number;
}

/** What a search asks of the detections that it comes to. */
export interface Neighbourhood {
  /** Tells what is next to a detection at a distance, and how far from where the search began. */
  readonly neighbours: (d: number, distance: number, see: (other: number, distance: number) => void) => void;
  /** Whether a detection that is seen may be found. */
  readonly admits: (d: number) => boolean;
  /** Whether the search is given up where a detection is the nearest one [never]. */
  readonly stopsAt?: (d: number) => boolean;
}

/** Searches for the detections nearest to one, by a heap. */
export class NearestDetections {
  readonly #frames: number;
  readonly #frameOf: Uint32Array;
  /** Of those seen; Infinity between searches. */
  readonly #distance: Float64Array;
  readonly #place: Int32Array;
  readonly #heap: Int32Array;

  constructor({ frames, frameStart, birthOf }: Pick<Graph, "frames" | "frameStart" | "birthOf">) {
    this.#frames = frames;
    this.#frameOf = Uint32Array.from(frameOfDetections(frameStart));
    this.#distance = new Float64Array(birthOf.length).fill(Number.POSITIVE_INFINITY);
    this.#place = new Int32Array(birthOf.length);
    this.#heap = new Int32Array(birthOf.length);
  }

  /** The detections nearest to a seed, nearest first; null where the search is given up. */
  around(
    seed: number,
    { size, frames }: Extent,
    { neighbours, admits, stopsAt = () => false }: Neighbourhood,
  ): number[] | null {
    const [frameOf, distances, place, heap] = [this.#frameOf, this.#distance, this.#place, this.#heap];
    const last = Math.min(this.#frames, Math.max(0, frameOf[seed] - frames / 2) + frames) - 1;
    const first = Math.max(0, last + 1 - frames);
    const [seen, found]: [number[], number[]] = [[], []];
    let open = 0;
    const see = (d: number, distance: number): void => {
      if (frameOf[d] < first || frameOf[d] > last || distance >= distances[d]) return;
      if (distances[d] === Number.POSITIVE_INFINITY) {
        if (!admits(d)) return;
        seen.push(d);
        place[d] = open++;
      }
      distances[d] = distance;
      raise(d, place[d], heap, place, distances);
    };
    see(seed, 0);
    while (open > 0 && found.length < size && !stopsAt(heap[0])) {
      const d = heap[0];
      removeNearest(heap, open--, place, distances);
      found.push(d);
      neighbours(d, distances[d], see);
    }
    for (const d of seen) distances[d] = Number.POSITIVE_INFINITY;
    return open === 0 || found.length === size ? found : null;
  }
}
