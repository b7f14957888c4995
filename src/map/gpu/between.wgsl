// The cost of a link while the tracks behind its frame pair, ahead of it, or both, stay as they are: C_e, D(into, e) of the edge that enters its tail
// or v_e in its place, and D(e, out) of the edge that leaves its head or Δ_e. With both it is [C12]'s move. For implicit triplets, none of
// which is forbidden. A thread handles an edge.
//
// Twin: costBetween and costOneSided in feasible.ts.

#import layout
#import rule

override THREADS: u32 = 64;

struct Run {
  first: u32,   // edge; births and deaths are left out
  count: u32,
  behind: u32,  // 1 where the tracks behind are fixed
  ahead: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> detections: array<Detection>;
@group(0) @binding(3) var<storage, read> tail: array<u32>;
@group(0) @binding(4) var<storage, read> head: array<u32>;
@group(0) @binding(5) var<storage, read> perEdge: array<f32>;
@group(0) @binding(6) var<storage, read> cost: array<f32>;
@group(0) @binding(7) var<storage, read> v: array<f32>;
@group(0) @binding(8) var<storage, read> delta: array<f32>;
@group(0) @binding(9) var<storage, read> outEdge: array<u32>;    // of the tracks
@group(0) @binding(10) var<storage, read> intoEdge: array<u32>;
@group(0) @binding(11) var<storage, read_write> local: array<f32>;  // by link

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var k = thread.x; k < run.count; k += workgroups.x * THREADS) { costOf(run.first + k); }
}

fn costOf(e: u32) {
  let i = tail[e];
  let j = head[e];
  if (i == NONE || j == NONE) { return; }
  var value = cost[e];
  if (run.behind == 0) {
    value += v[e];
  } else if (i >= shape.firstEnd && intoEdge[i] != detections[i].birth) {
    // Births and deaths have free triplets.
    value += tripletCost(numbersOf(intoEdge[i]), numbersOf(e));
  }
  if (run.ahead == 0) {
    value += delta[e];
  } else if (j < shape.lastStart && outEdge[j] != detections[j].death) {
    value += tripletCost(numbersOf(e), numbersOf(outEdge[j]));
  }
  local[e] = value;
}
