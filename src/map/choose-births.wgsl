// Before choose.wgsl: every detection is entered by its birth until a link says otherwise. Thread d handles detection d.

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
@group(0) @binding(1) var<storage, read_write> intoEdge: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x < shape.detections) { intoEdge[thread.x] = select(0u, shape.births + thread.x, shape.open == 1); }
}
