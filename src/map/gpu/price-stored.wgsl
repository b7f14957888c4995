// Y-LSAP for stored triplets (CSR-COO, dense included): Δ_e = min_t (D_t − v_f), the f that attains it, and Ĉ_e = C_e + v_e + Δ_e,
// for every edge e that enters a detection. One workgroup per entered detection; LANES neighbouring threads share the row of one
// edge, so that they read neighbouring triplets. The rows of births are not read: every edge out of the detection follows at no
// cost.
//
// Twin: `price` of storedYLsap in y-lsap-stored.ts.

#import layout

override THREADS: u32 = 256;
override LANES: u32 = 8;  // 8 neighbouring numbers are a memory sector
override COMPLETE: bool = false;  // every row holds all edges out of the detection: no successors are read
override TILE: u32 = 1;           // at least the edges out of a detection, where rows are complete

struct Run {
  first: u32,   // of `lists`
  count: u32,
  firstTriplet: u32, // of this part of the triplets
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> lists: array<u32>;       // as gpu-lists.ts lays them out
@group(0) @binding(3) var<storage, read> detections: array<Detection>;
@group(0) @binding(4) var<storage, read> rowStart: array<u32>;    // links + 1: triplets of e are rowStart[e] …
@group(0) @binding(5) var<storage, read> successor: array<u32>;   // of this part
@group(0) @binding(6) var<storage, read> tripletCost: array<f32>; // of this part
@group(0) @binding(7) var<storage, read> cost: array<f32>;
@group(0) @binding(8) var<storage, read> v: array<f32>;
@group(0) @binding(9) var<storage, read_write> delta: array<f32>;
@group(0) @binding(10) var<storage, read_write> best: array<u32>;
@group(0) @binding(11) var<storage, read_write> reduced: array<f32>;

var<workgroup> tile: array<f32, TILE>;
var<workgroup> least: array<f32, THREADS>;
var<workgroup> leastAt: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) { priceInto(lists[run.first + n], thread); }
}

// The least that this thread has seen.
var<private> value: f32;
var<private> at: u32;

fn offer(price: f32, f: u32) {
  if (price < value) {
    value = price;
    at = f;
  }
}

fn priceInto(j: u32, thread: u32) {
  let inBegin = lists[j];
  let entering = lists[j + 1] - inBegin - shape.hasBirths;  // links
  let rows = THREADS / LANES;
  let lane = thread % LANES;
  let outBegin = detections[j].linkStart;
  let leaving = detections[j].linkEnd - outBegin;
  let death = detections[j].death;
  if (COMPLETE && j < shape.lastStart) {
    workgroupBarrier();
    for (var k = thread; k < leaving; k += THREADS) { tile[k] = v[outBegin + k]; }
    if (shape.hasBirths == 1 && thread == 0) { tile[leaving] = v[death]; }
    workgroupBarrier();
  }
  for (var k0 = 0u; k0 < entering + shape.hasBirths; k0 += rows) {
    let k = k0 + thread / LANES;
    let isEdge = k < entering + shape.hasBirths;
    let isBirth = k == entering;
    var e = detections[j].birth;
    if (k < entering) { e = lists[inBegin + k]; }
    value = UNBOUNDED;
    at = NONE;
    if (isEdge) {
      if (isBirth) {
        for (var n = lane; n <= leaving && j < shape.lastStart; n += LANES) {
          let f = select(outBegin + n, death, n == leaving);
          offer(-v[f], f);
        }
      } else {
        let begin = rowStart[e] - run.firstTriplet;
        let count = rowStart[e + 1] - rowStart[e];
        // Reads four triplets at a time, so that their loads overlap; beyond the row's end the last one is read again.
        for (var n = lane; n < count; n += 4 * LANES) {
          let row = min(vec4u(n, n + LANES, n + 2 * LANES, n + 3 * LANES), vec4u(count - 1));
          let t = begin + row;
          var price = vec4f(tripletCost[t.x], tripletCost[t.y], tripletCost[t.z], tripletCost[t.w]);
          var f: vec4u;
          if (COMPLETE) {
            f = select(outBegin + row, vec4u(death), row == vec4u(leaving));
            price -= vec4f(tile[row.x], tile[row.y], tile[row.z], tile[row.w]);
          } else {
            f = vec4u(successor[t.x], successor[t.y], successor[t.z], successor[t.w]);
            price -= vec4f(v[f.x], v[f.y], v[f.z], v[f.w]);
          }
          offer(price.x, f.x);
          offer(price.y, f.y);
          offer(price.z, f.z);
          offer(price.w, f.w);
        }
      }
    }
    workgroupBarrier();
    least[thread] = value;
    leastAt[thread] = at;
    for (var half = LANES / 2; half > 0; half /= 2) {
      workgroupBarrier();
      if (lane < half && (least[thread + half] < least[thread] ||
          (least[thread + half] == least[thread] && leastAt[thread + half] < leastAt[thread]))) {
        least[thread] = least[thread + half];
        leastAt[thread] = leastAt[thread + half];
      }
    }
    if (isEdge && lane == 0) {
      let minimum = select(least[thread], 0.0, leastAt[thread] == NONE);
      delta[e] = minimum;
      best[e] = leastAt[thread];
      reduced[e] = cost[e] + select(0.0, v[e], k < entering) + minimum;
    }
  }
}
