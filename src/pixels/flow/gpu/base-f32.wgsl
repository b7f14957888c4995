// f32 has no base apart from the unknown.

fn store_base(i: u32, start: vec2f) {}
