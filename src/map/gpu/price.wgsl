// Y-LSAP for implicit triplets: Δ_e = min_f (D_ef − v_f), the f that attains it, and Ĉ_e = C_e + v_e + Δ_e, for every edge e that
// enters a detection. One workgroup per entered detection; its threads share the edges into it, and all read the edges out of
// it, tile by tile, from workgroup memory.
//
// Twin: PairKernels.price in kernels.ts. Costs in the caller's unit.

#import layout
#import rule

override THREADS: u32 = 64;

struct Run {
  first: u32,   // of `lists`
  count: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> lists: array<u32>;      // as gpu-lists.ts lays them out
@group(0) @binding(3) var<storage, read> detections: array<Detection>;
@group(0) @binding(4) var<storage, read> perEdge: array<f32>;    // m
@group(0) @binding(5) var<storage, read> cost: array<f32>;       // C by edge
@group(0) @binding(6) var<storage, read> v: array<f32>;
@group(0) @binding(7) var<storage, read_write> delta: array<f32>;
@group(0) @binding(8) var<storage, read_write> best: array<u32>;
@group(0) @binding(9) var<storage, read_write> reduced: array<f32>;

var<workgroup> m: array<Numbers, THREADS>;
var<workgroup> price: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) { priceInto(lists[run.first + n], thread); }
}

fn priceInto(j: u32, thread: u32) {
  let inBegin = lists[j];
  let entering = lists[j + 1] - inBegin - shape.hasBirths;  // links
  let isLast = j >= shape.lastStart;
  let outBegin = detections[j].linkStart;
  let leaving = select(detections[j].linkEnd - outBegin, 0u, isLast);
  let death = detections[j].death;
  let hasDeath = shape.hasBirths == 1 && !isLast;

  for (var k0 = 0u; k0 < entering + shape.hasBirths; k0 += THREADS) {
    let k = k0 + thread;
    let isLink = k < entering;
    let isBirth = k == entering && shape.hasBirths == 1;
    var e = detections[j].birth;
    if (isLink) { e = lists[inBegin + k]; }
    var numbers = Numbers();
    if (isLink) { numbers = numbersOf(e); }
    var least = UNBOUNDED;
    var successor = NONE;
    if (hasDeath) {
      least = -v[death];
      successor = death;
    }
    for (var f0 = 0u; f0 < leaving; f0 += THREADS) {
      let tile = min(THREADS, leaving - f0);
      workgroupBarrier();
      if (thread < tile) {
        let f = outBegin + f0 + thread;
        price[thread] = v[f];
        m[thread] = numbersOf(f);
      }
      workgroupBarrier();
      for (var n = 0u; n < tile; n++) {
        var d = 0.0;
        if (isLink) { d = tripletCost(numbers, m[n]); }
        let value = d - price[n];
        if (value < least) {
          least = value;
          successor = outBegin + f0 + n;
        }
      }
    }
    if (isLink || isBirth) {
      let minimum = select(least, 0.0, successor == NONE);
      delta[e] = minimum;
      best[e] = successor;
      reduced[e] = cost[e] + select(0.0, v[e], isLink) + minimum;
    }
  }
}
