import { largestMatching } from "./matching.js";
import type { MetricName } from "./metrics.js";

interface Target {
  readonly number: number;
  points: number;
  /** Number of its last detection over all frames, that one's frame, and the track it was last found on (−1: none yet). */
  last: number;
  frame: number;
  track: number;
  lost: boolean;
  consecutive: boolean;
  broken: boolean;
}

interface Track {
  points: number;
  last: number;
}

/**
 * The metrics of tracks that are numbers on the detections of the truth, counted frame by frame as compareLabels and METRICS count them over whole
 * recordings (docs/reference/scores.md). Memory: a record for each target, and one for each target and track that share detections; none for detections.
 * A metric that is not in `scores` is not known for streams.
 */
export class ScoreStream {
  readonly #targets = new Map<string, Target>();
  readonly #tracks = new Map<number, Track>();
  /** Detections that the targets share with tracks, by target number and track. */
  readonly #together: Map<number, number>[] = [];
  #detections = 0;
  #frames = 0;
  #singles = 0;
  #truth = 0;
  #answer = 0;
  #found = 0;
  #switches = 0;
  #fragments = 0;
  readonly #links = { truth: 0, missed: 0, consecutive: 0, consecutiveMissed: 0, answer: 0, wrong: 0 };
  #gospa = 0;
  #ospa = 0;

  /**
   * The next frame: of each detection its target (null: a false detection), its track, and whether that track has no other detection in any
   * frame. No target and no track is there twice.
   */
  add(targets: readonly (string | null)[], tracks: readonly number[], single: readonly boolean[]): void {
    const frame = this.#frames++;
    const [truth, answer, found] = [this.#truth, this.#answer, this.#found];
    // Without points of the answer a frame is no time step of the CLEAR metrics (clear.ts).
    const isStep = single.includes(false);
    targets.forEach((name, n) => {
      const d = this.#detections++;
      const target = name === null ? null : this.#targetOf(name);
      const track = single[n] ? null : this.#trackOf(tracks[n]);
      if (single[n]) this.#singles++;
      this.#addLinks(target, track, frame);
      if (target !== null) this.#addPoint(target, track === null ? -1 : tracks[n], isStep);
      if (target !== null) {
        target.points++;
        target.last = d;
        target.frame = frame;
        this.#truth++;
      }
      if (track !== null) {
        track.points++;
        track.last = d;
        this.#answer++;
      }
    });
    const [inTruth, inAnswer, matched] = [this.#truth - truth, this.#answer - answer, this.#found - found];
    const larger = Math.max(inTruth, inAnswer);
    this.#gospa += Math.sqrt((inTruth + inAnswer - 2 * matched) / 2);
    this.#ospa += larger === 0 ? 0 : Math.sqrt((larger - matched) / larger);
  }

  /** By metric, null where one is not defined; null where the truth has no link to find. */
  scores(): Partial<Record<MetricName, number | null>> | null {
    const { truth, missed, consecutive, consecutiveMissed, answer, wrong } = this.#links;
    if (truth === 0) return null;
    const targets = [...this.#targets.values()];
    const [all, broken] = [targets.filter(({ consecutive }) => consecutive), targets.filter((one) => one.broken)];
    const percent = (part: number, whole: number) => (whole === 0 ? null : (100 * part) / whole);
    const detA = this.#found / Math.max(1, this.#truth + this.#answer - this.#found);
    const assA = this.#association() / Math.max(1, this.#found);
    return {
      mmep: percent(consecutiveMissed, consecutive),
      itcp: percent(broken.length, all.length),
      misses: percent(missed, truth),
      falseLinks: percent(wrong, answer),
      linkErrors: percent(missed + wrong, truth + answer),
      idf1: percent(2 * this.#identified(), this.#truth + this.#answer),
      hota: 100 * Math.sqrt(detA * assA),
      detA: 100 * detA,
      assA: 100 * assA,
      mota: percent(2 * this.#found - this.#answer - this.#switches, this.#truth),
      idSwitches: this.#switches,
      fragments: this.#fragments,
      tracks: [...this.#tracks.values()].filter(({ points }) => points >= 3).length,
      singles: this.#singles,
      gospa: this.#gospa / this.#frames,
      ospa: this.#ospa / this.#frames,
    };
  }

  #targetOf(name: string): Target {
    let target = this.#targets.get(name);
    if (target === undefined) {
      const number = this.#targets.size;
      target = { number, points: 0, last: -1, frame: -1, track: -1, lost: false, consecutive: false, broken: false };
      this.#targets.set(name, target);
      this.#together.push(new Map());
    }
    return target;
  }

  #trackOf(number: number): Track {
    let track = this.#tracks.get(number);
    if (track === undefined) {
      track = { points: 0, last: -1 };
      this.#tracks.set(number, track);
    }
    return track;
  }

  /** The links that end at a detection: a true one is found where the answer's joins the same two. */
  #addLinks(target: Target | null, track: Track | null, frame: number): void {
    const links = this.#links;
    const [from, answer] = [target?.last ?? -1, track?.last ?? -1];
    if (from >= 0 && target !== null) {
      const found = from === answer;
      links.truth++;
      if (!found) links.missed++;
      if (frame === target.frame + 1) {
        links.consecutive++;
        target.consecutive = true;
        if (!found) {
          links.consecutiveMissed++;
          target.broken = true;
        }
      }
    }
    if (answer >= 0) {
      links.answer++;
      if (from !== answer) links.wrong++;
    }
  }

  /** A detection of a target, on a track or on none (−1). */
  #addPoint(target: Target, track: number, isStep: boolean): void {
    if (track < 0) {
      if (isStep && target.track >= 0) target.lost = true;
      return;
    }
    this.#found++;
    if (target.track >= 0 && target.track !== track) this.#switches++;
    if (target.lost) this.#fragments++;
    target.lost = false;
    target.track = track;
    const shared = this.#together[target.number];
    shared.set(track, (shared.get(track) ?? 0) + 1);
  }

  *#shared(): Generator<{ target: Target; track: number; count: number }> {
    for (const target of this.#targets.values()) {
      for (const [track, count] of this.#together[target.number]) yield { target, track, count };
    }
  }

  /** HOTA's Σ over matched detections of the share that target and track have in common. */
  #association(): number {
    let sum = 0;
    for (const { target, track, count } of this.#shared()) {
      sum += (count * count) / (target.points + this.#trackOf(track).points - count);
    }
    return sum;
  }

  /** IDF1's detections under the best choice of a track for each target. */
  #identified(): number {
    const entries = [...this.#shared()].map(({ target, track, count }) => ({
      row: target.number,
      column: track,
      worth: count,
    }));
    return largestMatching(entries).reduce((sum, { worth }) => sum + worth, 0);
  }
}
