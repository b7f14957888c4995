// Spreads the costs of sparse LAPs over their dense matrices: a thread writes an entry to its place.

struct Part {
  first: u32,  // entry of the batch that the part begins with
  begin: u32,  // entries of the part that are spread
  end: u32,
}

override THREADS: u32 = 128;

@group(0) @binding(0) var<storage, read> cost: array<f32>;            // per entry of the batch
@group(0) @binding(1) var<storage, read> place: array<u32>;           // where it goes in `dense`, per entry of this part
@group(0) @binding(2) var<storage, read_write> dense: array<f32>;
@group(0) @binding(3) var<uniform> part: Part;

const NOWHERE = 0xffffffffu;  // the place of a number that is no entry

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var e = part.begin + thread.x; e < part.end; e += workgroups.x * THREADS) {
    if (place[e] != NOWHERE) { dense[place[e]] = cost[part.first + e]; }
  }
}
