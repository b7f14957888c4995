// What staying unassigned costs in the X-LAPs: Ĉ of the deaths for rows, Ĉ of the births for columns. Thread d handles
// detection d on both sides. Only for instances with births and deaths.
//
// Twin: the views rowUnassigned and columnUnassigned of pairLap in state.ts.

struct Shape {
  links: u32,
  edges: u32,
  births: u32,      // edge of the birth of detection d is births + d; of its death links + d
  open: u32,        // 1 with births and deaths
  firstEnd: u32,    // detections of the first frame end here
  lastStart: u32,   // those of the last frame begin here
  detections: u32,
  pairs: u32,
}

struct Run {
  first: u32,       // of `list`
  count: u32,
  argument: f32,
  flag: u32,
}

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> cost: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> reduced: array<f32>;
@group(0) @binding(4) var<storage, read_write> limit: array<f32>;  // rows by detection, then columns, from the second frame on

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let d = thread.x;
  if (d < shape.lastStart) {
    let death = shape.links + d;
    reduced[death] = cost[death] + v[death];
    limit[d] = reduced[death];
  }
  if (d >= shape.firstEnd && d < shape.detections) {
    limit[shape.lastStart + d - shape.firstEnd] = reduced[shape.births + d];
  }
}
