// Counts the keys of a plane by their next digit. Workgroup (i, v) has values of vector v, one in turn for each of its threads.

#import digits

override THREADS: u32 = 256;

@group(0) @binding(4) var<storage, read> state: array<f32>;

var<workgroup> counts: array<atomic<u32>, 2 * BINS>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(global_invocation_id) place: vec3u,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) groups: vec3u,
) {
  let v = place.y;
  for (var i = place.x; i < digit.pixels; i += groups.x * THREADS) {
    var value = state[v * digit.pixels + i];
    if (digit.deviations == 1) { value = abs(value - noise[v].middle); }
    let key = keyOf(value);
    let bin = (key >> digit.shift) % BINS;
    for (var n = 0u; n < 2; n++) {
      if (isSearched(key, 2 * v + n)) { atomicAdd(&counts[n * BINS + bin], 1u); }
    }
  }
  workgroupBarrier();
  for (var bin = thread; bin < 2 * BINS; bin += THREADS) {
    let count = atomicLoad(&counts[bin]);
    if (count > 0) { atomicAdd(&bins[2 * v * BINS + bin], count); }
  }
}
