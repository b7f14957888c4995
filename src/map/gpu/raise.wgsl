// v_f = min_e (D_ef + base_e), base_e = share · r_e − Δ_e, for every edge f that leaves a detection, over the edges e that enter it:
// the highest multipliers that leave no triplet negative slack. One workgroup per detection between the edges; its threads
// share the edges out of it, and all read the edges into it, tile by tile, from workgroup memory.
//
// Twin: YLsap.raise in y-lsap-implicit.ts, called by PairKernels.pull (share 0) and pushRight.

#import layout
#import rule

override THREADS: u32 = 64;

struct Run {
  first: u32,   // of `lists`
  count: u32,
  share: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> lists: array<u32>;      // as gpu-lists.ts lays them out
@group(0) @binding(3) var<storage, read> detections: array<Detection>;
@group(0) @binding(4) var<storage, read> perEdge: array<f32>;
@group(0) @binding(5) var<storage, read> tail: array<u32>;       // by link
@group(0) @binding(6) var<storage, read> delta: array<f32>;
@group(0) @binding(7) var<storage, read> reduced: array<f32>;
@group(0) @binding(8) var<storage, read> dual: array<f32>;       // rows by detection, then columns, from the second frame on
@group(0) @binding(9) var<storage, read_write> v: array<f32>;

var<workgroup> m: array<Numbers, THREADS>;
var<workgroup> base: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) { raiseFrom(lists[run.first + n], thread); }
}

fn baseOf(e: u32, rowDual: f32, j: u32) -> f32 {
  if (run.share == 0.0) { return -delta[e]; }
  let columnDual = dual[shape.lastStart + j - shape.firstEnd];
  return run.share * max(0.0, reduced[e] - rowDual - columnDual) - delta[e];
}

fn raiseFrom(j: u32, thread: u32) {
  let inBegin = lists[j];
  let entering = lists[j + 1] - inBegin - shape.hasBirths;  // links
  let outBegin = detections[j].linkStart;
  let leaving = detections[j].linkEnd - outBegin;
  var born = UNBOUNDED;
  if (shape.hasBirths == 1) { born = baseOf(detections[j].birth, 0.0, j); }
  for (var k0 = 0u; k0 < leaving + shape.hasBirths; k0 += THREADS) {
    let k = k0 + thread;
    let isLink = k < leaving;
    let f = select(detections[j].death, outBegin + k, isLink);
    var numbers = Numbers();
    if (isLink) { numbers = numbersOf(f); }
    var least = born;
    for (var e0 = 0u; e0 < entering; e0 += THREADS) {
      let tile = min(THREADS, entering - e0);
      workgroupBarrier();
      if (thread < tile) {
        let e = lists[inBegin + e0 + thread];
        base[thread] = baseOf(e, dual[tail[e]], j);
        m[thread] = numbersOf(e);
      }
      workgroupBarrier();
      for (var n = 0u; n < tile; n++) {
        var d = 0.0;
        if (isLink) { d = tripletCost(m[n], numbers); }
        least = min(least, d + base[n]);
      }
    }
    if (isLink || (k == leaving && shape.hasBirths == 1)) { v[f] = least; }
  }
}
