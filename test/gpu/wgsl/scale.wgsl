// values[i] becomes factor · values[i] + offset. Thread i of the grid has value i; threads beyond the last do nothing.

#import affine

override THREADS: u32 = 64;

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read_write> values: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x < run.count) { values[thread.x] = affine(run, values[thread.x]); }
}
