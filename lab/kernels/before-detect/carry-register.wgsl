var<private> sum: f32;

fn held(thread: u32) -> f32 { return sum; }
fn hold(thread: u32, value: f32) { sum = value; }
