// A trajectory's cell stays: what is read and what is written lie at the same place.

fn first(v: u32, end: vec2i, start: vec2i) -> f32 { return state[cell(v, vec2u(end))]; }
fn keep(v: u32, end: vec2u, values: array<f32, PIXELS>) { state[cell(v, end)] = values[0]; }
