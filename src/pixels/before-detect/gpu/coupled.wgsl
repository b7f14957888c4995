// One frame where states flow from vector to vector. Thread (x, y) has the trajectories of all vectors that end there: each starts from its
// own state and those of the nearest vectors one frame back, their weighted sum or the largest of them. `near` holds the nearest vectors of v
// from near[v] to near[v + 1] − 1. `offsets` holds one place for each vector and frame of the pass.

#import pass

struct Coupling {
  // Frame of the pass, from 0 on.
  frame: u32,
  // 1: the largest; 0: the sum.
  largest: u32,
  switching: f32,
}

@group(0) @binding(5) var<storage, read> near: array<u32>;
@group(0) @binding(6) var<uniform> coupling: Coupling;

fn coupled(v: u32, at: vec2i) -> f32 {
  let own = before[place(v, at)];
  if (near[v] == near[v + 1]) { return own; }
  var sum = 0.0;
  var top = own;
  for (var n = near[v]; n < near[v + 1]; n++) {
    let u = near[n];
    let other = before[place(u, at)];
    top = max(top, other);
    sum += coupling.switching / f32(near[u + 1] - near[u]) * other;
  }
  return select((1.0 - coupling.switching) * own + sum, top, coupling.largest == 1);
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let end = vec2i(thread.xy);
  let newest = run.b * pixel(coupling.frame, end);
  for (var v = 0u; v < run.vectors; v++) {
    let at = end - offsets[coupling.frame * run.vectors + v];
    var sum = newest;
    if (inside(at)) { sum = run.a * coupled(v, at) + newest; }
    after[place(v, end)] = sum;
  }
}
