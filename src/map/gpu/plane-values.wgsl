// The value of each of a pair's planes at the present v, less that of the plane just stored: the sum of v over the edges that a plane takes, less the
// sum over those it goes on with. One workgroup per block of the detections of a pair, LANES threads to each plane; measure.wgsl adds the
// blocks up.
//
// Near the optimum the planes hardly differ in value, and f32 would lose the difference of two sums. So they are compared by where they
// differ from one of them.
//
// Twin: `values` in bundle.ts.

#import layout

override THREADS: u32 = 256;
override LANES: u32 = 16;  // CAPACITY · LANES ≤ THREADS

struct Run {
  first: u32,   // of `blocks`
  count: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> blocks: array<Chunk>;
@group(0) @binding(4) var<storage, read> plane: array<u32>;
@group(0) @binding(5) var<storage, read> planes: array<Planes>;  // by pair
@group(0) @binding(6) var<storage, read> v: array<f32>;
@group(0) @binding(7) var<storage, read_write> values: array<f32>;  // by (block, slot)

var<workgroup> sum: array<f32, THREADS>;

// What a detection of a pair, the k-th of its rows and then of its columns, adds to a plane's value beyond another's.
fn differenceAt(pair: Pair, slot: u32, other: u32, k: u32) -> f32 {
  let d = pair.rowStart + k;
  if (d < pair.columnStart) {
    return v[plane[slot * shape.detections + d]] - v[plane[other * shape.detections + d]];
  }
  return v[plane[(CAPACITY + other) * shape.detections + d]] - v[plane[(CAPACITY + slot) * shape.detections + d]];
}

fn valuesOf(index: u32, thread: u32) {
  let block = blocks[index];
  let pair = pairs[block.pair];
  let slot = thread / LANES;
  let lane = thread % LANES;
  let stored = planes[pair.index].stored;
  var value = 0.0;
  if (slot < CAPACITY && slot != stored) {
    for (var k = block.first + lane; k < block.end; k += LANES) { value += differenceAt(pair, slot, stored, k); }
  }
  sum[thread] = value;
  for (var half = LANES / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (lane < half) { sum[thread] += sum[thread + half]; }
  }
  if (slot < CAPACITY && lane == 0) { values[index * CAPACITY + slot] = sum[thread]; }
  workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) { valuesOf(run.first + n, thread); }
}
