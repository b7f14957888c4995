// A trajectory's cell moves along with it.

fn first(v: u32, end: vec2i, start: vec2i) -> f32 { return load(v, start); }
fn keep(v: u32, end: vec2u, values: array<f32, PIXELS>) { store(v, end, values); }
