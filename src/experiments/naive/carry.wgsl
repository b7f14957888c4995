// Carries the least triplet cost of each link over to the link: Y_ijk −= least_ij for every k, X_ij += least_ij. One workgroup per
// link (x: j, y: i, z: frame triple of the chunk), its threads share the k.

#import chunk

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> least: array<f32>;          // all frame triples × n × n
@group(0) @binding(2) var<storage, read_write> triplets: array<f32>; // Y: frame triples of the chunk × n × n × n
@group(0) @binding(3) var<storage, read_write> links: array<f32>;    // X: frame pairs × n × n; pair p begins frame triple p

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = chunk.n;
  let begin = ((workgroup.z * n + workgroup.y) * n + workgroup.x) * n;
  let link = ((chunk.first + workgroup.z) * n + workgroup.y) * n + workgroup.x;
  let taken = least[link];
  for (var k = thread; k < n; k += THREADS) { triplets[begin + k] -= taken; }
  if (thread == 0) { links[link] += taken; }
}
