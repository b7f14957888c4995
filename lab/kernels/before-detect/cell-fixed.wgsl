// A trajectory's cell stays at one place, where it is read and written.

fn first(v: u32, end: vec2i, start: vec2i) -> f32 { return state[cell(v, vec2u(end))]; }
fn keep(v: u32, end: vec2u, values: array<f32, PIXELS>) { state[cell(v, end)] = values[0]; }
