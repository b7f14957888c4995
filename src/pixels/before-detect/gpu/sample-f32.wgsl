fn sample(i: u32) -> f32 { return bitcast<f32>(raw[i]); }
