/** Triplets on which a user's function and what was made of it are compared before any is used. */
const SAMPLES = 10_000;

/** Links e and f that follow each other, spread over all: as many as the samples, or fewer. */
export function sampledTriplets(
  links: number,
  followers: (e: number) => { readonly first: number; readonly count: number },
): { readonly e: Uint32Array; readonly f: Uint32Array } {
  const [e, f] = [new Uint32Array(SAMPLES), new Uint32Array(SAMPLES)];
  let found = 0;
  for (let n = 0; n < SAMPLES && links > 0; n++) {
    const link = Math.floor((n * links) / SAMPLES);
    const { first, count } = followers(link);
    if (count === 0) continue;
    e[found] = link;
    // A step that shares no divisor with usual counts visits all places among the followers.
    f[found++] = first + ((n * 7919) % count);
  }
  return { e: e.subarray(0, found), f: f.subarray(0, found) };
}
