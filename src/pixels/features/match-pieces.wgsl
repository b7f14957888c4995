// Declarations that the kernels of matching share.

struct MatchRun {
  first: u32,   // descriptors of the sets
  second: u32,
  part: u32,    // descriptors of the second set a workgroup goes through
  parts: u32,
}

struct Nearest {
  index: u32,   // of the second set; 2³² − 1 for none
  best: u32,    // d² to it
  second: u32,  // and to the second nearest
}

// With one more descriptor, later in the set: ties stay with the earlier.
fn closer(now: Nearest, index: u32, square: u32) -> Nearest {
  if (square < now.best) { return Nearest(index, square, now.best); }
  return Nearest(now.index, now.best, min(now.second, square));
}
