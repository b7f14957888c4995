// The vector is compiled in: whole pixels a frame.

override NUMBER: u32;
override VX: i32;
override VY: i32;

fn number() -> u32 { return NUMBER; }
fn back(j: u32) -> vec2i { return i32(depth() - j) * vec2i(VX, VY); }
