/** Errors of tracks that arrive frame by frame, as the literature on sorting counts them. */

export interface IdentityErrors {
  /** True objects seen, and those of them with measurements in more than one track (Maier et al. 2019, §6.2). */
  readonly objects: number;
  readonly objectsInError: number;
  /** The same of objects with at least LONG measurements. */
  readonly longObjects: number;
  readonly longObjectsInError: number;
  /** Tracks with measurements of several objects, which the measure above cannot see. */
  readonly mixedTracks: number;
  readonly tracks: number;
  /** Two measurements of one object in a row that lie in different tracks. */
  readonly brokenLinks: number;
  /** Two measurements in a row of one track that are of different objects. */
  readonly wrongLinks: number;
}

/** Measurements of an object that is not just a fragment. */
export const LONG = 5;

/** Memory: one record an object, and one a track that is alive. */
export class IdentityCounter {
  readonly #objects = new Map<string, { track: number; seen: number; error: boolean }>();
  readonly #tracks = new Map<number, { target: string; mixed: boolean }>();
  #mixed = 0;
  #ended = 0;
  #broken = 0;
  #wrong = 0;

  /** A measurement of `target` in `track`, −1 for none; measurements come frame by frame. */
  add(target: string, track: number): void {
    const object = this.#objects.get(target);
    if (object === undefined) this.#objects.set(target, { track, seen: 1, error: false });
    else {
      object.seen++;
      if (object.track !== track) {
        object.error = true;
        this.#broken++;
        object.track = track;
      }
    }
    if (track < 0) return;
    const known = this.#tracks.get(track);
    if (known === undefined) this.#tracks.set(track, { target, mixed: false });
    else if (known.target !== target) {
      if (!known.mixed) this.#mixed++;
      known.mixed = true;
      known.target = target;
      this.#wrong++;
    }
  }

  /** Object of the track's last measurement, null where it has none that is known. */
  targetOf(track: number): string | null {
    return this.#tracks.get(track)?.target ?? null;
  }

  /** No more measurements of this track. */
  end(track: number): void {
    if (this.#tracks.delete(track)) this.#ended++;
  }

  errors(): IdentityErrors {
    let [objectsInError, longObjects, longObjectsInError] = [0, 0, 0];
    for (const { seen, error } of this.#objects.values()) {
      if (error) objectsInError++;
      if (seen < LONG) continue;
      longObjects++;
      if (error) longObjectsInError++;
    }
    return {
      objects: this.#objects.size,
      objectsInError,
      longObjects,
      longObjectsInError,
      mixedTracks: this.#mixed,
      tracks: this.#ended + this.#tracks.size,
      brokenLinks: this.#broken,
      wrongLinks: this.#wrong,
    };
  }
}
