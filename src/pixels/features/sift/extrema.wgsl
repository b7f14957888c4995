// Pixels that are above, or below, all their 26 neighbours in scale space, and beyond the soft threshold, are listed; of equal ones the first. A thread has four pixels
// of a row of an octave and their three layers; a workgroup 32 × 32 pixels. Differences of Gaussians are taken while reading.
// Twin: findPlaces in extrema.ts.

#import space
#import pyramid-vectors

// Only count: all extrema, of any |D|.
override COUNT_ALL: bool = false;

@group(0) @binding(0) var<uniform> space: Space;
@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read_write> candidates: array<Candidate>;

const TILE: u32 = 32;
// Grey levels that count as equal: rounding, which differs from device to device, is not to decide between them.
override TIE: f32;

// D(x, y, s) = Gaussian s + 1 − Gaussian s.
fn difference(octave: Octave, x: u32, y: u32, s: u32) -> f32 {
  let pitch = pitchOf(octave) / 4;
  let size = pitch * octave.height;
  let at = octave.offset / 4 + s * size + y * pitch + x / 4;
  return gaussianOf(at + size, x % 4) - gaussianOf(at, x % 4);
}

// Of equal neighbours the first, by layer, row and column.
fn isExtremum(octave: Octave, x: u32, y: u32, layer: u32) -> bool {
  let value = difference(octave, x, y, layer);
  let sign = select(-1.0, 1.0, value > 0);
  // Pixels after it stay below `limit`; those before it stay a tie further below.
  let limit = sign * value + TIE;
  let before = sign * value - TIE;
  for (var s = layer - 1; s <= layer + 1; s++) {
    for (var r = y - 1; r <= y + 1; r++) {
      for (var c = x - 1; c <= x + 1; c++) {
        if (s == layer && r == y && c == x) { continue; }
        let isBefore = s < layer || (s == layer && (r < y || (r == y && c < x)));
        if (sign * difference(octave, c, r, s) >= select(limit, before, isBefore)) { return false; }
      }
    }
  }
  return true;
}

// A bit for each of four pixels that is beyond the soft threshold and not below its two neighbours in scale.
fn marks(below: vec4f, value: vec4f, above: vec4f) -> u32 {
  let sign = select(vec4f(-1), vec4f(1), value > vec4f());
  let most = sign * value;
  let soft = vec4f(select(space.soft, 0, COUNT_ALL));
  let marked = (most >= soft) & (most > sign * below) & (most + TIE > sign * above);
  let bits = select(vec4u(), vec4u(1, 2, 4, 8), marked);
  return bits.x | bits.y | bits.z | bits.w;
}

@compute @workgroup_size(8, 32)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let group = workgroup.y * workgroups.x + workgroup.x;
  var o = 0u;
  while (o + 1 < space.count && group >= space.octaves[o + 1].firstGroup) { o++; }
  let octave = space.octaves[o];
  let columns = (octave.width + TILE - 1) / TILE;
  let place = group - octave.firstGroup;
  let x = (place % columns) * TILE + 4 * local.x;
  let y = (place / columns) * TILE + local.y;
  if (y < 1 || x >= octave.width || y + 1 >= octave.height) { return; }
  let pitch = pitchOf(octave) / 4;
  let size = pitch * octave.height;
  let at = octave.offset / 4 + y * pitch + x / 4;
  let g0 = gaussians(at);
  let g1 = gaussians(at + size);
  let g2 = gaussians(at + 2 * size);
  let g3 = gaussians(at + 3 * size);
  let g4 = gaussians(at + 4 * size);
  let g5 = gaussians(at + 5 * size);
  let d1 = g2 - g1;
  let d2 = g3 - g2;
  let d3 = g4 - g3;
  // Four bits a layer, the first layer's lowest.
  var bits = marks(g1 - g0, d1, d2) | (marks(d1, d2, d3) << 4) | (marks(d2, d3, g5 - g4) << 8);
  while (bits != 0) {
    let bit = firstTrailingBit(bits);
    bits &= bits - 1;
    let column = x + bit % 4;
    let layer = 1 + bit / 4;
    if (column < 1 || column + 1 >= octave.width || !isExtremum(octave, column, y, layer)) { continue; }
    let k = atomicAdd(&counters.candidates, 1u);
    if (!COUNT_ALL && k < space.candidateRoom) { candidates[k] = vec2u(column | (y << 16), o | (layer << 8)); }
  }
}
