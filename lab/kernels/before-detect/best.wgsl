// Finds the largest value of the state over the vectors of a piece, and the number of its vector. Thread i handles pixel i.

#import pass
#import state

override THREADS: u32 = 128;

@group(0) @binding(5) var<storage, read_write> best: array<f32>;
@group(0) @binding(6) var<storage, read_write> which: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let cells = run.width * run.height;
  for (var i = thread.x; i < cells; i += groups.x * THREADS) {
    let at = vec2i(vec2u(i % run.width, i / run.width));
    var top = load(0u, at);
    var vector = 0u;
    for (var v = 1u; v < run.vectors; v++) {
      let value = load(v, at);
      if (value > top) {
        top = value;
        vector = v;
      }
    }
    if (run.first == 0u || top > best[i]) {
      best[i] = top;
      which[i] = run.first + vector;
    }
  }
}
