// Y-LSAP for implicit triplets: Δ_e = min_f (D_ef − v_f), the f that attains it, and Ĉ_e = C_e + v_e + Δ_e, for every edge e that
// enters a detection. One workgroup per entered detection; its threads share the edges into it, and all read the edges out of
// it, tile by tile, from workgroup memory.
//
// Twin: PairKernels.price in kernels.ts. Costs in the caller's unit.

override THREADS: u32 = 64;
override SQUARE: bool = false;  // D = |m_e − m_f|² with two numbers per link, else |m_e − m_f| with one

const UNBOUNDED = 3e38f;
const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> list: array<u32>;       // detections
@group(0) @binding(3) var<storage, read> outStart: array<u32>;   // detections + 1: links out of d are outStart[d] …
@group(0) @binding(4) var<storage, read> inStart: array<u32>;    // detections + 1: links into d are inLink[inStart[d]] …
@group(0) @binding(5) var<storage, read> inLink: array<u32>;
@group(0) @binding(6) var<storage, read> perLink: array<f32>;    // m
@group(0) @binding(7) var<storage, read> cost: array<f32>;       // C by edge
@group(0) @binding(8) var<storage, read> v: array<f32>;
@group(0) @binding(9) var<storage, read_write> delta: array<f32>;
@group(0) @binding(10) var<storage, read_write> best: array<u32>;
@group(0) @binding(11) var<storage, read_write> reduced: array<f32>;

var<workgroup> mx: array<f32, THREADS>;
var<workgroup> my: array<f32, THREADS>;
var<workgroup> price: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) { priceInto(list[run.first + n], thread); }
}

fn priceInto(j: u32, thread: u32) {
  let inBegin = inStart[j];
  let entering = inStart[j + 1] - inBegin;
  let isLast = j >= shape.lastStart;
  let outBegin = outStart[j];
  let leaving = select(outStart[j + 1] - outBegin, 0u, isLast);
  let death = shape.links + j;
  let hasDeath = shape.open == 1 && !isLast;

  for (var k0 = 0u; k0 < entering + shape.open; k0 += THREADS) {
    let k = k0 + thread;
    let isLink = k < entering;
    let isBirth = k == entering && shape.open == 1;
    var e = shape.births + j;
    if (isLink) { e = inLink[inBegin + k]; }
    var ex = 0.0;
    var ey = 0.0;
    if (isLink) {
      if (SQUARE) { ex = perLink[2 * e]; ey = perLink[2 * e + 1]; } else { ex = perLink[e]; }
    }
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
        if (SQUARE) { mx[thread] = perLink[2 * f]; my[thread] = perLink[2 * f + 1]; } else { mx[thread] = perLink[f]; }
      }
      workgroupBarrier();
      for (var n = 0u; n < tile; n++) {
        var d = 0.0;
        if (isLink) {
          let dx = mx[n] - ex;
          if (SQUARE) { let dy = my[n] - ey; d = dx * dx + dy * dy; } else { d = abs(dx); }
        }
        let value = d - price[n];
        if (value < least) {
          least = value;
          successor = outBegin + f0 + n;
        }
      }
    }
    if (isLink || isBirth) {
      let own = select(least, 0.0, successor == NONE);
      delta[e] = own;
      best[e] = successor;
      reduced[e] = cost[e] + select(0.0, v[e], isLink) + own;
    }
  }
}
