// Where the LAPs of between.wgsl begin: the limits, which are costs of deaths and births, and duals of columns that suit the costs. β suits them while
// multipliers stand for the tracks ahead; where these are fixed, v of the edge that leaves the column is missing from β
// (docs/explanation/mathematics.md §5). A thread handles a detection, as a row and as a column.
//
// Twin: beginFrom and costOneSided in feasible.ts.

#import layout

override THREADS: u32 = 64;

struct Run {
  first: u32,   // detection
  count: u32,
  behind: u32,  // 1 where the tracks behind are fixed
  ahead: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> detections: array<Detection>;
@group(0) @binding(3) var<storage, read> cost: array<f32>;
@group(0) @binding(4) var<storage, read> v: array<f32>;
@group(0) @binding(5) var<storage, read> delta: array<f32>;
@group(0) @binding(6) var<storage, read> outEdge: array<u32>;      // of the tracks
@group(0) @binding(7) var<storage, read> ascentDual: array<f32>;   // rows by detection, then columns, from the second frame on
@group(0) @binding(8) var<storage, read_write> dual: array<f32>;   // likewise
@group(0) @binding(9) var<storage, read_write> limit: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var k = thread.x; k < run.count; k += workgroups.x * THREADS) { beginAt(run.first + k); }
}

fn beginAt(d: u32) {
  let at = detections[d];
  if (d < shape.lastStart && shape.hasBirths == 1) {
    limit[d] = cost[at.death];
    if (run.behind == 0) { limit[d] += v[at.death]; }
  }
  if (d < shape.firstEnd) { return; }
  let column = shape.lastStart + d - shape.firstEnd;
  if (shape.hasBirths == 1) {
    limit[column] = cost[at.birth];
    if (run.ahead == 0) { limit[column] += delta[at.birth]; }
  }
  dual[column] = ascentDual[column];
  if (run.ahead == 1 && d < shape.lastStart && outEdge[d] != NONE) { dual[column] += v[outEdge[d]]; }
}
