// As all.wgsl of the program, with the frames of the pass in workgroup memory: of each frame the tile of the workgroup's pixels and as many around it as its
// trajectories may be away then, REACH for each frame that follows.

#import ../../../dist/pixels/before-detect/gpu/pass

override DEPTH: u32;
override VECTORS: u32;
// Pixels that a vector moves in a frame along an axis, at most.
override REACH: u32;
// Pixels of all tiles.
override TILES: u32;

@group(0) @binding(5) var<storage, read_write> best: array<f32>;
@group(0) @binding(6) var<storage, read_write> which: array<u32>;

var<workgroup> tiles: array<f32, TILES>;

var<private> corner: vec2i;

fn back(v: u32, j: u32) -> vec2i { return offsets[v * (DEPTH + 1) + j]; }

fn around(j: u32) -> u32 { return REACH * (DEPTH - j); }
fn size(j: u32) -> vec2u { return vec2u(THREADS_X, THREADS_Y) + 2 * around(j); }
fn area(j: u32) -> u32 { return size(j).x * size(j).y; }

// The pixel of frame j, whose tile begins at `first`.
fn tiled(first: u32, j: u32, at: vec2i) -> f32 {
  let inTile = vec2u(at - corner + i32(around(j)));
  return tiles[first + inTile.y * size(j).x + inTile.x];
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) thread: u32) {
  corner = vec2i(vec2u(group.x * THREADS_X, group.y * THREADS_Y));
  var first = 0u;
  for (var j = 1u; j <= DEPTH; j++) {
    for (var i = thread; i < area(j); i += THREADS_X * THREADS_Y) {
      let at = corner - i32(around(j)) + vec2i(vec2u(i % size(j).x, i / size(j).x));
      var value = 0.0;
      if (inside(at)) { value = pixel(j - 1, at); }
      tiles[first + i] = value;
    }
    first += area(j);
  }
  workgroupBarrier();
  let end = corner + vec2i(local.xy);
  if (!inside(end)) { return; }
  let bounds = vec2i(vec2u(run.width, run.height));
  let within = all(end >= vec2i(run.reach)) && all(end < bounds - run.reach);
  var top = 0.0;
  var vector = 0u;
  for (var v = 0u; v < VECTORS; v++) {
    var sum = 0.0;
    let start = end - back(v, 0);
    if (within || inside(start)) { sum = before[place(v, start)]; }
    var first = 0u;
    for (var j = 1u; j <= DEPTH; j++) {
      let at = end - back(v, j);
      if (within || inside(at)) { sum = run.a * sum + run.b * tiled(first, j, at); } else { sum = 0.0; }
      first += area(j);
    }
    if (v == 0 || sum > top) {
      top = sum;
      vector = v;
    }
    after[place(v, end)] = sum;
  }
  best[place(0, end)] = top;
  which[place(0, end)] = vector;
}
