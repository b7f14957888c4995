// f32 has no base apart from the unknown.

fn storeBase(i: u32, start: vec2f) {}
