// Pixels that are above, or below, all their 26 neighbours in scale space, and beyond the soft threshold, are listed. A thread has one pixel of
// an octave and its three layers; a workgroup 32 × 8 of them. Twin: findPlaces in extrema.ts.

#import differences

// Only count: all extrema, of any |D|.
override COUNT_ALL: bool = false;

@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read_write> candidates: array<Candidate>;

fn isExtremum(octave: Octave, x: u32, y: u32, layer: u32, value: f32) -> bool {
  let sign = select(-1.0, 1.0, value > 0);
  let limit = sign * value;
  for (var s = layer - 1; s <= layer + 1; s++) {
    for (var r = y - 1; r <= y + 1; r++) {
      for (var c = x - 1; c <= x + 1; c++) {
        if (s == layer && r == y && c == x) { continue; }
        if (sign * difference(octave, c, r, s) >= limit) { return false; }
      }
    }
  }
  return true;
}

fn check(octave: Octave, o: u32, x: u32, y: u32, layer: u32, below: f32, value: f32, above: f32) {
  if (!COUNT_ALL && abs(value) < space.soft) { return; }
  // Its own neighbours in scale are there already.
  if (value > 0) {
    if (below >= value || above >= value) { return; }
  } else if (below <= value || above <= value) { return; }
  if (!isExtremum(octave, x, y, layer, value)) { return; }
  let k = atomicAdd(&counters.candidates, 1u);
  if (!COUNT_ALL && k < space.candidateRoom) { candidates[k] = vec2u(x | (y << 16), o | (layer << 8)); }
}

@compute @workgroup_size(32, 8)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let group = workgroup.y * workgroups.x + workgroup.x;
  var o = 0u;
  while (o + 1 < space.count && group >= space.octaves[o + 1].firstGroup) { o++; }
  let octave = space.octaves[o];
  let columns = (octave.width + 31) / 32;
  let place = group - octave.firstGroup;
  let x = (place % columns) * 32 + local.x;
  let y = (place / columns) * 8 + local.y;
  if (x < 1 || y < 1 || x + 1 >= octave.width || y + 1 >= octave.height) { return; }
  let size = octave.width * octave.height;
  let at = octave.offset + y * octave.width + x;
  let g0 = pyramid[at];
  let g1 = pyramid[at + size];
  let g2 = pyramid[at + 2 * size];
  let g3 = pyramid[at + 3 * size];
  let g4 = pyramid[at + 4 * size];
  let g5 = pyramid[at + 5 * size];
  check(octave, o, x, y, 1, g1 - g0, g2 - g1, g3 - g2);
  check(octave, o, x, y, 2, g2 - g1, g3 - g2, g4 - g3);
  check(octave, o, x, y, 3, g3 - g2, g4 - g3, g5 - g4);
}
