// The vector is an argument: run.first is its number in this piece of the state.

fn number() -> u32 { return run.first; }
fn back(j: u32) -> vec2i { return offsets[run.first * (depth() + 1u) + j]; }
