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

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup.x * 64 + thread;
  let own = 8 * min(i, run.first - 1);
  let a0 = first[own];
  let a1 = first[own + 1];
  let a2 = first[own + 2];
  let a3 = first[own + 3];
  let a4 = first[own + 4];
  let a5 = first[own + 5];
  let a6 = first[own + 6];
  let a7 = first[own + 7];
  // Σ (a − b)² = Σ a² + Σ b² − 2 Σ a b.
  let square = dot4(a0, a0) + dot4(a1, a1) + dot4(a2, a2) + dot4(a3, a3) + dot4(a4, a4) + dot4(a5, a5) + dot4(a6, a6) + dot4(a7, a7);
  var best = Nearest(0xffffffff, 0xffffffff, 0xffffffff);
  let begin = workgroup.y * run.part;
  let end = min(begin + run.part, run.second);
  for (var at = begin; at < end; at += TILE) {
    for (var k = thread; k < 8 * TILE; k += 64) { tile[k] = second[min(8 * at + k, 8 * run.second - 1)]; }
    workgroupBarrier();
    for (var j = 0u; j < TILE; j++) {
      let b0 = tile[8 * j];
      let b1 = tile[8 * j + 1];
      let b2 = tile[8 * j + 2];
      let b3 = tile[8 * j + 3];
      let b4 = tile[8 * j + 4];
      let b5 = tile[8 * j + 5];
      let b6 = tile[8 * j + 6];
      let b7 = tile[8 * j + 7];
      let product = dot4(a0, b0) + dot4(a1, b1) + dot4(a2, b2) + dot4(a3, b3) + dot4(a4, b4) + dot4(a5, b5) + dot4(a6, b6) + dot4(a7, b7);
      let other = dot4(b0, b0) + dot4(b1, b1) + dot4(b2, b2) + dot4(b3, b3) + dot4(b4, b4) + dot4(b5, b5) + dot4(b6, b6) + dot4(b7, b7);
      if (at + j < end) { best = closer(best, at + j, square + other - 2 * product); }
    }
    workgroupBarrier();
  }
  if (i < run.first) { found[workgroup.y * run.first + i] = best; }
}

fn dot4(a: vec4u, b: vec4u) -> u32 {
  return dot4U8Packed(a.x, b.x) + dot4U8Packed(a.y, b.y) + dot4U8Packed(a.z, b.z) + dot4U8Packed(a.w, b.w);
}
