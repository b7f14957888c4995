// The costs of staying unassigned in the X-LAPs: Ĉ of the deaths for rows, Ĉ of the births for columns. Thread d handles
// detection d on both sides. Only for instances with births and deaths.
//
// Twin: the views rowUnassigned and columnUnassigned of pairLap in state.ts.

#import layout

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> detections: array<Detection>;
@group(0) @binding(2) var<storage, read> cost: array<f32>;
@group(0) @binding(3) var<storage, read> v: array<f32>;
@group(0) @binding(4) var<storage, read_write> reduced: array<f32>;
@group(0) @binding(5) var<storage, read_write> limit: array<f32>;  // rows by detection, then columns, from the second frame on

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var d = thread.x; d < shape.detections; d += workgroups.x * THREADS) {
    if (d < shape.lastStart) {
      let death = detections[d].death;
      reduced[death] = cost[death] + v[death];
      limit[d] = reduced[death];
    }
    if (d >= shape.firstEnd) { limit[shape.lastStart + d - shape.firstEnd] = reduced[detections[d].birth]; }
  }
}
