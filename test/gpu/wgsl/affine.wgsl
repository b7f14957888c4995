// What kernels share: the arguments of a run, and one line of arithmetic.

struct Run {
  count: u32,
  factor: f32,
  offset: f32,
}

fn affine(run: Run, value: f32) -> f32 { return run.factor * value + run.offset; }
