// Distribution: the reduced cost that the X-LAPs left on link (j, k) goes to every triplet that ends in it, Y_ijk += r_jk. One
// workgroup per link before (x: j, y: i, z: frame triple of the chunk), its threads share the k.

#import chunk

override THREADS: u32 = 64;
override GATED: f32 = 1e6;

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> links: array<f32>;          // X: frame pairs × n × n; pair p + 1 ends frame triple p
@group(0) @binding(2) var<storage, read_write> triplets: array<f32>; // Y: frame triples of the chunk × n × n × n

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = chunk.n;
  let begin = ((workgroup.z * n + workgroup.y) * n + workgroup.x) * n;
  let onward = ((chunk.first + workgroup.z + 1) * n + workgroup.x) * n;
  for (var k = thread; k < n; k += THREADS) {
    let reduced = links[onward + k];
    // A link that is gated out keeps its cost, or the next X-LAP would take it for free.
    if (reduced < GATED / 2) { triplets[begin + k] += reduced; }
  }
}
