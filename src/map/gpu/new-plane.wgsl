// Writes the plane of the last assignment of each pair into its least recently used slot: the edges taken, the edges gone on
// with, and a = Σ C + Σ D. One workgroup per pair. See bundle.ts for what a plane is. The importing file has D as `costOf`.
//
// Twin: `store` in bundle.ts.

#import layout

override THREADS: u32 = 256;

struct Run {
  first: u32,   // of `pairs`
  count: u32,
  empty: u32,   // 1 takes all other planes out before
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> outEdge: array<u32>;
@group(0) @binding(4) var<storage, read> intoEdge: array<u32>;
@group(0) @binding(5) var<storage, read> best: array<u32>;
@group(0) @binding(6) var<storage, read> cost: array<f32>;
@group(0) @binding(7) var<storage, read> detections: array<Detection>;
@group(0) @binding(8) var<storage, read_write> plane: array<u32>;     // edges by (slot, detection), then successors likewise
@group(0) @binding(9) var<storage, read_write> planes: array<Planes>; // by pair

var<workgroup> sum: array<f32, THREADS>;
var<workgroup> slot: u32;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) {
    store(pairs[run.first + n], thread);
    workgroupBarrier();
  }
}

fn store(pair: Pair, thread: u32) {
  let ofPair = &planes[pair.index];
  if (thread == 0) {
    var oldest = 0u;
    for (var m = 0u; m < CAPACITY; m++) {
      if (run.empty == 1) { (*ofPair).slots[m].stamp = 0; }
      if ((*ofPair).slots[m].stamp < (*ofPair).slots[oldest].stamp) { oldest = m; }
    }
    if (run.empty == 1) { (*ofPair).stamp = 0; }
    slot = oldest;
  }
  workgroupBarrier();
  let edges = slot * shape.detections;
  let successors = (CAPACITY + slot) * shape.detections;
  var a = 0.0;
  for (var i = pair.rowStart + thread; i < pair.columnStart; i += THREADS) {
    let e = outEdge[i];
    plane[edges + i] = e;
    a += cost[e];
  }
  for (var j = pair.columnStart + thread; j < pair.columnEnd; j += THREADS) {
    let at = detections[j];
    let e = intoEdge[j];
    if (e == at.birth) { a += cost[e]; }
    let f = best[e];
    plane[successors + j] = f;
    // Births and deaths have free triplets.
    if (e != at.birth && f != at.death && f != NONE) { a += costOf(e, f); }
  }
  sum[thread] = a;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { sum[thread] += sum[thread + half]; }
  }
  if (thread == 0) {
    let stamp = (*ofPair).stamp + 1;
    (*ofPair).stamp = stamp;
    (*ofPair).stored = slot;
    (*ofPair).slots[slot] = Slot(stamp, sum[0]);
  }
}
