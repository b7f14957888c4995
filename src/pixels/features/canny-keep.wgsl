// An edge is kept where its root is strong: a byte of 0 or 1 a pixel, four a word. A thread has four pixels.
// Twin: hysteresis in canny.ts.

#import canny-labels

@group(0) @binding(3) var<storage, read_write> edges: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let word = (workgroup.y * workgroups.x + workgroup.x) * 256 + thread;
  let count = run.width * run.height;
  if (4 * word >= count) { return; }
  var bytes = 0u;
  for (var k = 0u; k < 4; k++) {
    let place = 4 * word + k;
    if (place >= count || atomicLoad(&parents[place]) == NONE) { continue; }
    bytes |= atomicLoad(&strong[rootOf(place)]) << (8 * k);
  }
  edges[word] = bytes;
}
