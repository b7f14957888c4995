// What the kernels of this folder share, put in front of each by gpu-steps.ts: the sizes of the instance, the arguments of a
// run, and the record of a frame pair, as gpu-memory.ts and gpu-steps.ts write them.

struct Shape {
  links: u32,
  edges: u32,
  births: u32,      // edge of the birth of detection d is births + d; of its death links + d
  open: u32,        // 1 with births and deaths
  firstEnd: u32,    // detections of the first frame end here
  lastStart: u32,   // those of the last frame begin here
  detections: u32,
  pairs: u32,
}

struct Run {
  first: u32,       // of `list`
  count: u32,
  argument: f32,
  flag: u32,
}

struct Pair {
  linkStart: u32,
  linkEnd: u32,
  nextEnd: u32,     // links of the next pair are linkEnd … nextEnd − 1
  rowStart: u32,    // detections of the first frame
  columnStart: u32, // of the second
  columnEnd: u32,
  index: u32,       // of the pair
  spare: u32,
}
