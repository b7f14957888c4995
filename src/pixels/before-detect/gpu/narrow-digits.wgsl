// Finds the next digit of the two keys that are searched of each vector, and after the last one the median. Thread v has vector v.

#import digits

override THREADS: u32 = 64;
// Of a normal distribution: median absolute deviation over standard deviation.
override DEVIATION: f32;

fn narrow(n: u32, rank: u32) -> u32 {
  var search = Searched(0, rank);
  if (digit.shift < 24) { search = searched[n]; }
  var chosen = BINS;
  for (var bin = 0u; bin < BINS; bin++) {
    let count = atomicExchange(&bins[n * BINS + bin], 0u);
    if (chosen < BINS) { continue; }
    if (search.rank < count) { chosen = bin; } else { search.rank -= count; }
  }
  search.known |= chosen << digit.shift;
  searched[n] = search;
  return search.known;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let v = thread.x;
  if (v >= digit.vectors) { return; }
  let lower = narrow(2 * v, (digit.pixels - 1) / 2);
  let upper = narrow(2 * v + 1, digit.pixels / 2);
  if (digit.shift > 0) { return; }
  let median = (valueOf(lower) + valueOf(upper)) / 2;
  if (digit.deviations == 1) { noise[v].sigma = median / DEVIATION; } else { noise[v].middle = median; }
}
