// Prices all n³ triplets of a frame triple: Y_ijk = D of links (i, j) and (j, k), GATED where one of them is not there. One workgroup
// per link (x: j, y: i, z: frame triple of the chunk), its threads share the k.

#import chunk
#import ../../map/gpu/rule

override THREADS: u32 = 64;
override GATED: f32;

override NO_LINK: u32;

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> linkAt: array<u32>;          // frame pairs × n × n: the link there, or NO_LINK
@group(0) @binding(2) var<storage, read> perEdge: array<f32>;         // m, WIDTH numbers per link
@group(0) @binding(3) var<storage, read_write> triplets: array<f32>;  // Y: frame triples of the chunk × n × n × n, by i, j, k

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = chunk.n;
  let begin = ((workgroup.z * n + workgroup.y) * n + workgroup.x) * n;
  let pair = chunk.first + workgroup.z;
  let before = linkAt[(pair * n + workgroup.y) * n + workgroup.x];
  for (var k = thread; k < n; k += THREADS) {
    let after = linkAt[((pair + 1) * n + workgroup.x) * n + k];
    var cost = GATED;
    if (before != NO_LINK && after != NO_LINK) { cost = tripletCost(numbersOf(before), numbersOf(after)); }
    triplets[begin + k] = cost;
  }
}
