// After the distribution: the links that gave up their reduced cost have none left, and their multipliers fall by it. One workgroup
// per row of links (x: i, y: frame pair after the first), its threads share the j.

#import chunk

override THREADS: u32 = 64;
override GATED: f32 = 1e6;

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read_write> links: array<f32>;       // X: frame pairs × n × n
@group(0) @binding(2) var<storage, read_write> multipliers: array<f32>; // v: frame pairs × n × n

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = chunk.n;
  let begin = ((workgroup.y + 1) * n + workgroup.x) * n;
  for (var j = thread; j < n; j += THREADS) {
    let reduced = links[begin + j];
    if (reduced < GATED / 2) {
      multipliers[begin + j] -= reduced;
      links[begin + j] = 0;
    }
  }
}
