var<workgroup> sums: array<f32, THREADS_X * THREADS_Y>;

fn held(thread: u32) -> f32 { return sums[thread]; }
fn hold(thread: u32, value: f32) { sums[thread] = value; }
