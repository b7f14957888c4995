// Two frames of coupled vectors in one dispatch: the states after the first one are in workgroup memory, those of the workgroup's pixels and of REACH around them,
// which neighbouring workgroups compute too. Thread (x, y) has the trajectories that end there. The rest is coupled.wgsl of the program.

#import ../../../dist/pixels/before-detect/gpu/pass

override VECTORS: u32;
override REACH: u32;
// Numbers of the states in workgroup memory.
override TILE: u32;

struct Coupling {
  frame: u32,
  largest: u32,
  switching: f32,
}

@group(0) @binding(5) var<storage, read> near: array<u32>;
@group(0) @binding(6) var<uniform> coupling: Coupling;

var<workgroup> tile: array<f32, TILE>;

fn joined(v: u32, own: f32, sum: f32, top: f32) -> f32 {
  if (near[v] == near[v + 1]) { return own; }
  return select((1.0 - coupling.switching) * own + sum, top, coupling.largest == 1);
}

fn coupled(v: u32, at: vec2i) -> f32 {
  let own = before[place(v, at)];
  var sum = 0.0;
  var top = own;
  for (var n = near[v]; n < near[v + 1]; n++) {
    let u = near[n];
    let other = before[place(u, at)];
    top = max(top, other);
    sum += coupling.switching / f32(near[u + 1] - near[u]) * other;
  }
  return joined(v, own, sum, top);
}

// The same of the states in workgroup memory, whose planes have `area` numbers.
fn tiled(v: u32, i: u32, area: u32) -> f32 {
  let own = tile[v * area + i];
  var sum = 0.0;
  var top = own;
  for (var n = near[v]; n < near[v + 1]; n++) {
    let u = near[n];
    let other = tile[u * area + i];
    top = max(top, other);
    sum += coupling.switching / f32(near[u + 1] - near[u]) * other;
  }
  return joined(v, own, sum, top);
}

fn moved(frame: u32, v: u32) -> vec2i { return offsets[frame * VECTORS + v]; }

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) thread: u32) {
  let corner = vec2i(vec2u(group.x * THREADS_X, group.y * THREADS_Y)) - i32(REACH);
  let size = vec2u(THREADS_X, THREADS_Y) + 2 * REACH;
  let area = size.x * size.y;
  for (var i = thread; i < area; i += THREADS_X * THREADS_Y) {
    let at = corner + vec2i(vec2u(i % size.x, i / size.x));
    if (!inside(at)) { continue; }
    let newest = run.b * pixel(coupling.frame, at);
    for (var v = 0u; v < VECTORS; v++) {
      let start = at - moved(coupling.frame, v);
      var sum = newest;
      if (inside(start)) { sum = run.a * coupled(v, start) + newest; }
      tile[v * area + i] = sum;
    }
  }
  workgroupBarrier();
  let end = corner + i32(REACH) + vec2i(local.xy);
  if (!inside(end)) { return; }
  let newest = run.b * pixel(coupling.frame + 1, end);
  for (var v = 0u; v < VECTORS; v++) {
    let start = end - moved(coupling.frame + 1, v);
    var sum = newest;
    let inTile = vec2u(start - corner);
    if (inside(start)) { sum = run.a * tiled(v, inTile.y * size.x + inTile.x, area) + newest; }
    after[place(v, end)] = sum;
  }
}
