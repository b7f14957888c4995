// Y-LSAP over dense triplets: least_ij = min_k Y_ijk. One workgroup per link (x: j, y: i, z: frame triple of the chunk), its threads
// share the k.

#import chunk

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> triplets: array<f32>;    // Y: frame triples of the chunk × n × n × n, by i, j, k
@group(0) @binding(2) var<storage, read_write> least: array<f32>; // all frame triples × n × n

var<workgroup> rowLeast: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = chunk.n;
  let begin = ((workgroup.z * n + workgroup.y) * n + workgroup.x) * n;
  var own = 3e38f;
  for (var k = thread; k < n; k += THREADS) { own = min(own, triplets[begin + k]); }
  rowLeast[thread] = own;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { rowLeast[thread] = min(rowLeast[thread], rowLeast[thread + half]); }
  }
  if (thread == 0) { least[((chunk.first + workgroup.z) * n + workgroup.y) * n + workgroup.x] = rowLeast[0]; }
}
