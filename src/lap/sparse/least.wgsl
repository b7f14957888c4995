// Cold start: the least cost of each column, for `columns`. A thread has a row.

#import chunks
#import ../../gpu/wgsl/order

@group(0) @binding(9) var<storage, read_write> claim: array<atomic<u32>>;  // by node; 0 between the kernels

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var c = settings.firstChunk + workgroup.x; c < settings.firstChunk + settings.chunks; c += workgroups.x) {
    let lap = laps[chunks[c].lap];
    let i = chunks[c].first + thread;
    if (i >= lap.rows) { continue; }
    let arcs = spanOf(lap.row + i);
    for (var k = arcs.x; k < arcs.y; k++) { atomicMax(&claim[arc[k]], ~keyOf(cost[k])); }
  }
}
