override DEPTH: u32;

fn depth() -> u32 { return DEPTH; }
