// The kernels of this folder share the sizes of the instance and the records of frame pairs and of the bundle's planes, as gpu-memory.ts
// writes them. The arguments of a run are a struct in the file of each kernel (KernelArguments in gpu-kernels.ts).

struct Shape {
  edges: u32,
  hasBirths: u32,   // 1 with births and deaths
  firstEnd: u32,    // detections of the first frame end here
  lastStart: u32,   // those of the last frame begin here
  detections: u32,
  pairs: u32,
}

// The edges of a detection: the links out of it, linkStart … linkEnd − 1, its death, and the birth into it; NONE where it has none.
struct Detection {
  linkStart: u32,
  linkEnd: u32,
  death: u32,
  birth: u32,
}

struct Pair {
  edgeStart: u32,   // the edges that leave a detection, links and deaths, are edgeStart … birthStart − 1
  birthStart: u32,
  nextStart: u32,   // those of the next pair are nextStart … nextEnd − 1
  nextEnd: u32,
  rowStart: u32,    // detections of the first frame
  columnStart: u32, // of the second
  columnEnd: u32,
  index: u32,       // of the pair
  firstChunk: u32,
  firstBlock: u32,  // of its detections
  blocks: u32,
}

// A piece of the edges that a pair's plane touches, or a block of its detections.
struct Chunk {
  pair: u32,        // its record
  first: u32,       // of the edges as edgeAround counts them; of the detections from the pair's first row on
  end: u32,
  count: u32,       // chunks of the pair
}

// The numbers that a chunk measures; their sums over chunks are those of the pair.
struct Measured {
  model: f32,       // its part of the model's value
  slope: f32,       // of the model towards the plane
  distance: f32,    // squared, from the plane
  slot: f32,        // of the plane
}

const CAPACITY = 10u;  // PLANES of bundle.ts

// A slot for a plane of a pair.
struct Slot {
  stamp: u32,       // 0 while it is empty
  constant: f32,    // a of the plane
}

// What a pair's bundle has but for the edges.
struct Planes {
  constant: f32,    // A of the combination
  stamp: u32,       // how many were given to its planes
  stored: u32,      // the slot that was stored last
  slots: array<Slot, CAPACITY>,
}

const NONE = 0xffffffffu;

// More than any price.
const UNBOUNDED = 3e38f;

struct Around {
  edge: u32,
  isOfPair: bool,   // of the pair, and not of the next one
}

// The k-th edge that leaves a detection of a pair, and then of the next one.
fn edgeAround(pair: Pair, k: u32) -> Around {
  let leaving = pair.birthStart - pair.edgeStart;
  if (k < leaving) { return Around(pair.edgeStart + k, true); }
  return Around(pair.nextStart + k - leaving, false);
}
