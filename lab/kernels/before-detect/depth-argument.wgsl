// The frames of a pass are an argument, so that no compiler can write a loop over them out.
fn depth() -> u32 { return run.depth; }
