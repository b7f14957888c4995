// D of sampled triplets by the rule's text, to be compared with the host's: cost[n] is that of the links with the numbers 2n and 2n + 1.
// Threads go through the samples in strides of the grid.
//
// Twin: TripletRule.cost.

#import rule

@group(0) @binding(0) var<storage, read> perEdge: array<f32>;
@group(0) @binding(1) var<storage, read_write> cost: array<f32>;

override THREADS: u32 = 64;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var n = thread.x; n < arrayLength(&cost); n += workgroups.x * THREADS) {
    cost[n] = tripletCost(numbersOf(2 * n), numbersOf(2 * n + 1));
  }
}
