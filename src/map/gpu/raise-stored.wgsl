// v_f = min_e (D_ef + base_e), base_e = share · r_e − Δ_e, for stored triplets: every triplet offers its value to the key of its f,
// whose order is that of f32. One workgroup per detection, LANES threads per row. The keys are reset before and read after by
// raise-keys.wgsl.
//
// Twin: `raise` of storedYLsap in y-lsap-stored.ts.

#import layout
#import ../../gpu/wgsl/order

override THREADS: u32 = 64;
override LANES: u32 = 8;
override COMPLETE: bool = false;  // see price-stored.wgsl

struct Run {
  first: u32,   // of `lists`
  count: u32,
  share: f32,
  firstTriplet: u32, // of this part of the triplets
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> lists: array<u32>;       // as gpu-lists.ts lays them out
@group(0) @binding(3) var<storage, read> detections: array<Detection>;
@group(0) @binding(4) var<storage, read> rowStart: array<u32>;
@group(0) @binding(5) var<storage, read> successor: array<u32>;
@group(0) @binding(6) var<storage, read> tripletCost: array<f32>;
@group(0) @binding(7) var<storage, read> tail: array<u32>;
@group(0) @binding(8) var<storage, read> delta: array<f32>;
@group(0) @binding(9) var<storage, read> reduced: array<f32>;
@group(0) @binding(10) var<storage, read> dual: array<f32>;
@group(0) @binding(11) var<storage, read_write> key: array<atomic<u32>>;  // by edge

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) {
    let j = lists[run.first + n];
    let inBegin = lists[j];
    let entering = lists[j + 1] - inBegin - shape.hasBirths;  // links
    for (var k = thread / LANES; k < entering + shape.hasBirths; k += THREADS / LANES) {
      var e = detections[j].birth;
      var rowDual = 0.0;
      if (k < entering) {
        e = lists[inBegin + k];
        rowDual = dual[tail[e]];
      }
      var base = -delta[e];
      if (run.share != 0.0) {
        let columnDual = dual[shape.lastStart + j - shape.firstEnd];
        base += run.share * max(0.0, reduced[e] - rowDual - columnDual);
      }
      let leaving = detections[j].linkEnd - detections[j].linkStart;
      let isBirth = k == entering;
      if (isBirth) {
        for (var n = thread % LANES; n <= leaving; n += LANES) {
          atomicMin(&key[select(detections[j].linkStart + n, detections[j].death, n == leaving)], keyOf(base));
        }
      } else {
        let begin = rowStart[e] - run.firstTriplet;
        let count = rowStart[e + 1] - rowStart[e];
        // Four triplets at a time, as in price-stored.wgsl.
        for (var n = thread % LANES; n < count; n += 4 * LANES) {
          let row = min(vec4u(n, n + LANES, n + 2 * LANES, n + 3 * LANES), vec4u(count - 1));
          let t = begin + row;
          let slack = vec4f(tripletCost[t.x], tripletCost[t.y], tripletCost[t.z], tripletCost[t.w]) + base;
          var f: vec4u;
          if (COMPLETE) {
            f = select(detections[j].linkStart + row, vec4u(detections[j].death), row == vec4u(leaving));
          } else {
            f = vec4u(successor[t.x], successor[t.y], successor[t.z], successor[t.w]);
          }
          atomicMin(&key[f.x], keyOf(slack.x));
          if (n + LANES < count) { atomicMin(&key[f.y], keyOf(slack.y)); }
          if (n + 2 * LANES < count) { atomicMin(&key[f.z], keyOf(slack.z)); }
          if (n + 3 * LANES < count) { atomicMin(&key[f.w], keyOf(slack.w)); }
        }
      }
    }
  }
}
