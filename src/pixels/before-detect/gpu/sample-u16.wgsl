fn sample(i: u32) -> f32 { return f32((raw[i / 2u] >> (16u * (i % 2u))) & 0xffffu); }
