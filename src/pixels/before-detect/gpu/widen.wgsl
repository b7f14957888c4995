// X of a frame, sample − minus, from samples in the type they came in. Threads stride over the pixels. Twin: valuesOf, ../samples.ts.

struct Widen {
  // Pixels of the frame, and the first of them in `frames`.
  cells: u32,
  first: u32,
  minus: f32,
}

override THREADS: u32 = 256;

@group(0) @binding(0) var<uniform> widen: Widen;
// The samples' bytes, four a word.
@group(0) @binding(1) var<storage, read> raw: array<u32>;
@group(0) @binding(2) var<storage, read_write> frames: array<f32>;

#import sample

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = thread.x; i < widen.cells; i += groups.x * THREADS) {
    frames[widen.first + i] = sample(i) - widen.minus;
  }
}
