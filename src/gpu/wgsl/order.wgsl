// Order of f32 as order of u32, so that atomicMin, atomicMax and subgroupMin take floats. −0 lies before 0; no NaN.

fn keyOf(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0);
}

fn valueOf(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key & 0x80000000u) != 0));
}
