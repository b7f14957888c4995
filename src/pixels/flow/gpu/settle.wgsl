// Flow from the unknown of the iterations: of each pair a plane of u, then one of v. A thread has a pixel, z is the pair.

#import run
#import format

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read> unknown: array<Pair>;
@group(0) @binding(3) var<storage, read_write> flow: array<f32>;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let settled = flowOf(unknown[i], baseAsF32(i));
  let pixels = run.width * run.height;
  let place = thread.z * pixels + i;
  flow[place] = settled.x;
  flow[place + pixels] = settled.y;
}
