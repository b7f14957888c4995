/** The two scores of the MAP literature, and the counts behind them. Percentages; 0 is perfect. */
export interface Scores {
  /** 100 · true links not found / true links. */
  readonly mmep: number;
  /** 100 · targets with a true link not found / targets with a true link. */
  readonly itcp: number;
  /** A true link joins the same target in two consecutive frames. */
  readonly trueLinks: number;
  readonly missedLinks: number;
  /** Links of the tracks that are no true links. */
  readonly falseLinks: number;
  /** Targets with at least one true link, and those of them that lost one. */
  readonly targets: number;
  readonly brokenTargets: number;
}

/** Links between consecutive frames, as detections numbered through all frames. */
export interface LinkErrors {
  /** Links of the tracks that are no true links: from wrong[2n] to wrong[2n + 1]. */
  readonly wrong: readonly number[];
  /** True links that no track has, in the same form. */
  readonly missed: readonly number[];
}

/**
 * Scores tracks against true identities (docs/algorithm.md §7, after Kawtikwar & Nagi 2023 §IV). `target` and `track` hold one number
 * per detection; negative: a false detection, or one in no track. Detections of frame p are frameStart[p] … frameStart[p + 1] − 1.
 * A link is found when its two detections have the same track. Where N targets are seen in each of T frames and each
 * detection is in a track through all frames, these are 100 · wrong links / (N (T − 1)) and 100 · tracks with a wrong link / N.
 * null when there is no true link to find.
 */
export function scoreTracks(frameStart: Uint32Array, target: Int32Array, track: Int32Array): Scores | null {
  const { wrong, missed } = linkErrors(frameStart, target, track);
  const linked = new Set<number>();
  let trueLinks = 0;
  forEachLink(frameStart, target, (from) => {
    trueLinks++;
    linked.add(target[from]);
  });
  if (trueLinks === 0) return null;
  const broken = new Set<number>();
  for (let n = 0; n < missed.length; n += 2) broken.add(target[missed[n]]);
  const missedLinks = missed.length / 2;
  return {
    mmep: (100 * missedLinks) / trueLinks,
    itcp: (100 * broken.size) / linked.size,
    trueLinks,
    missedLinks,
    falseLinks: wrong.length / 2,
    targets: linked.size,
    brokenTargets: broken.size,
  };
}

/** The links scoreTracks counts as false and as missed. */
export function linkErrors(frameStart: Uint32Array, target: Int32Array, track: Int32Array): LinkErrors {
  const wrong: number[] = [];
  const missed: number[] = [];
  forEachLink(frameStart, track, (from, to) => {
    if (target[from] < 0 || target[from] !== target[to]) wrong.push(from, to);
  });
  forEachLink(frameStart, target, (from, to) => {
    if (track[from] < 0 || track[from] !== track[to]) missed.push(from, to);
  });
  return { wrong, missed };
}

/** Calls `visit` for each two detections of consecutive frames that have the same `identity` ≥ 0. */
function forEachLink(frameStart: Uint32Array, identity: Int32Array, visit: (from: number, to: number) => void): void {
  let before = new Map<number, number>();
  for (let p = 0; p + 1 < frameStart.length; p++) {
    const now = new Map<number, number>();
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      if (identity[d] < 0) continue;
      const from = before.get(identity[d]);
      if (from !== undefined) visit(from, d);
      now.set(identity[d], d);
    }
    before = now;
  }
}
