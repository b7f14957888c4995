// The largest over the vectors of the state in units of each vector's own noise, and the vector's number. Thread i of the grid has pixel i.

#import digits

override THREADS: u32 = 128;

@group(0) @binding(4) var<storage, read> state: array<f32>;
@group(0) @binding(5) var<storage, read_write> best: array<f32>;
@group(0) @binding(6) var<storage, read_write> which: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = thread.x; i < digit.pixels; i += groups.x * THREADS) {
    for (var v = 0u; v < digit.vectors; v++) {
      let z = (state[v * digit.pixels + i] - noise[v].middle) / noise[v].sigma;
      if (v == 0 || z > best[i]) {
        best[i] = z;
        which[i] = v;
      }
    }
  }
}
