// The nearest and the second nearest of the second set for every descriptor of the first, in exact integers. A workgroup has 64 descriptors of the
// first set, one a thread, and a part of the second set, which it goes through 32 descriptors at a time in workgroup memory.
// Parts are joined by match-join.wgsl. Twin: nearestOnCpu in match.ts.

#import match-pieces

@group(0) @binding(0) var<uniform> run: MatchRun;
@group(0) @binding(1) var<storage, read> first: array<vec4u>;    // 8 a descriptor
@group(0) @binding(2) var<storage, read> second: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> found: array<Nearest>;  // by part, then by descriptor of the first set

const TILE: u32 = 32;

var<workgroup> tile: array<vec4u, 256>;  // TILE descriptors
var<workgroup> squares: array<u32, TILE>;  // Σ b² of each

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup.x * 64 + thread;
  let own = 8 * min(i, run.first - 1);
  #unroll k 0..7 let a$k = first[own + $k];
  // Σ (a − b)² = Σ a² + Σ b² − 2 Σ a b.
  var square = 0u;
  #unroll k 0..7 square += dot4(a$k, a$k);
  var best = Nearest(0xffffffff, 0xffffffff, 0xffffffff);
  let begin = workgroup.y * run.part;
  let end = min(begin + run.part, run.second);
  for (var at = begin; at < end; at += TILE) {
    for (var k = thread; k < 8 * TILE; k += 64) { tile[k] = second[min(8 * at + k, 8 * run.second - 1)]; }
    workgroupBarrier();
    if (thread < TILE) {
      var square = 0u;
      #unroll k 0..7 { let b = tile[8 * thread + $k]; square += dot4(b, b); }
      squares[thread] = square;
    }
    workgroupBarrier();
    for (var j = 0u; j < TILE; j++) {
      #unroll k 0..7 let b$k = tile[8 * j + $k];
      var product = 0u;
      #unroll k 0..7 product += dot4(a$k, b$k);
      if (at + j < end) { best = closer(best, at + j, square + squares[j] - 2 * product); }
    }
    workgroupBarrier();
  }
  if (i < run.first) { found[workgroup.y * run.first + i] = best; }
}

fn dot4(a: vec4u, b: vec4u) -> u32 {
  return dot4U8Packed(a.x, b.x) + dot4U8Packed(a.y, b.y) + dot4U8Packed(a.z, b.z) + dot4U8Packed(a.w, b.w);
}
