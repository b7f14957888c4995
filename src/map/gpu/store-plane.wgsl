// Writes the plane of the last assignment of each pair into its least recently used slot: the edges taken, the edges gone on
// with, and a = Σ C + Σ D. One workgroup per pair. See bundle.ts for what a plane is.
//
// Twin: `store` in bundle.ts.

override THREADS: u32 = 256;
override CAPACITY: u32 = 10;
override RULE: u32 = 0;  // 0 D = |m_e − m_f|, 1 D = |m_e − m_f|², 2 stored: D_ef = Δ_e + v_f

const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;                         // first and count of the pairs; flag 1 empties the bundle
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> outEdge: array<u32>;
@group(0) @binding(4) var<storage, read> intoEdge: array<u32>;
@group(0) @binding(5) var<storage, read> best: array<u32>;
@group(0) @binding(6) var<storage, read> cost: array<f32>;
@group(0) @binding(7) var<storage, read> perLink: array<f32>;
@group(0) @binding(8) var<storage, read> delta: array<f32>;
@group(0) @binding(9) var<storage, read> v: array<f32>;
@group(0) @binding(10) var<storage, read_write> plane: array<u32>;   // edges by (slot, detection), then successors likewise
@group(0) @binding(11) var<storage, read_write> slots: array<u32>;   // by pair: clock, slot in hand, then (stamp, a) per slot

var<workgroup> sum: array<f32, THREADS>;
var<workgroup> slot: u32;

fn tripletCost(e: u32, f: u32) -> f32 {
  if (e >= shape.links || f >= shape.links) { return 0.0; }
  if (RULE == 0) { return abs(perLink[e] - perLink[f]); }
  if (RULE == 1) {
    let dx = perLink[2 * e] - perLink[2 * f];
    let dy = perLink[2 * e + 1] - perLink[2 * f + 1];
    return dx * dx + dy * dy;
  }
  return delta[e] + v[f];
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let pair = pairs[run.first + workgroup.x];
  let own = pair.index * (2 + 2 * CAPACITY);
  if (thread == 0) {
    var oldest = 0u;
    for (var m = 0u; m < CAPACITY; m++) {
      if (run.flag == 1) { slots[own + 2 + 2 * m] = 0; }
      if (slots[own + 2 + 2 * m] < slots[own + 2 + 2 * oldest]) { oldest = m; }
    }
    if (run.flag == 1) { slots[own] = 0; }
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
    let e = intoEdge[j];
    if (e >= shape.links) { a += cost[e]; }
    let f = best[e];
    plane[successors + j] = f;
    if (f != NONE) { a += tripletCost(e, f); }
  }
  sum[thread] = a;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { sum[thread] += sum[thread + half]; }
  }
  if (thread == 0) {
    slots[own] += 1;
    slots[own + 1] = slot;
    slots[own + 2 + 2 * slot] = slots[own];
    slots[own + 3 + 2 * slot] = bitcast<u32>(sum[0]);
  }
}
