fn sample(i: u32) -> f32 { return f32((raw[i / 4u] >> (8u * (i % 4u))) & 0xffu); }
