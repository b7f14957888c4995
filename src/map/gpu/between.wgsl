// The cost of an edge while the tracks on both sides of its frame pair stay as they are ([C12]'s move): C_e + D(into, e) + D(e, out),
// where `into` is the edge that enters its tail now, and `out` the edge that leaves its head. For implicit triplets, none of which is
// forbidden. One workgroup per listed detection as a tail, its threads share the links
// out of it; thread 0 also writes what its death costs.
//
// Twin: costBetween in feasible.ts.

#import layout
#import rule

override THREADS: u32 = 64;

struct Run {
  first: u32,   // of `list`
  count: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> list: array<u32>;       // detections, as tails
@group(0) @binding(3) var<storage, read> detections: array<Detection>;
@group(0) @binding(4) var<storage, read> head: array<u32>;
@group(0) @binding(5) var<storage, read> perEdge: array<f32>;
@group(0) @binding(6) var<storage, read> cost: array<f32>;
@group(0) @binding(7) var<storage, read> outEdge: array<u32>;    // of the tracks
@group(0) @binding(8) var<storage, read> intoEdge: array<u32>;
@group(0) @binding(9) var<storage, read_write> local: array<f32>;  // by link
@group(0) @binding(10) var<storage, read_write> limit: array<f32>; // rows by detection, then columns, from the second frame on

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) {
    let i = list[run.first + n];
    let at = detections[i];
    let into = intoEdge[i];
    // Births and deaths have free triplets.
    let linked = i >= shape.firstEnd && into != at.birth;
    for (var e = at.linkStart + thread; e < at.linkEnd; e += THREADS) {
      let j = head[e];
      var value = cost[e];
      if (linked) { value += tripletCost(numbersOf(into), numbersOf(e)); }
      if (j < shape.lastStart && outEdge[j] != detections[j].death) {
        value += tripletCost(numbersOf(e), numbersOf(outEdge[j]));
      }
      local[e] = value;
    }
    if (shape.hasBirths == 1 && thread == 0) { limit[i] = cost[at.death]; }
  }
}
