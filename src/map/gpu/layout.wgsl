// The kernels of this folder share the sizes of the instance, the arguments of a run, and the records of frame pairs and of
// the bundle's planes, as gpu-memory.ts and gpu-steps.ts write them and gpu-state.ts reads them.

struct Shape {
  links: u32,
  edges: u32,
  births: u32,      // edge of the birth of detection d is births + d; of its death links + d
  hasBirths: u32,   // 1 with births and deaths
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
  firstChunk: u32,
}

// A piece of the edges that a pair's plane touches.
struct Chunk {
  pair: u32,        // its record
  first: u32,       // of the edges as edgeAround counts them
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

// Of a pair: how many stamps were given to its planes, and the slot that was stored last.
struct Clock {
  stamp: u32,
  slot: u32,
}

// A slot for a plane of a pair, CAPACITY of them a pair.
struct Slot {
  stamp: u32,       // 0 while it is empty
  constant: f32,    // a of the plane
}

const NONE = 0xffffffffu;
const OTHER = 0u;   // an edge without multiplier: of the first pair, or out of the last frame
const OWN = 1u;     // of the pair
const NEXT = 2u;    // of the next one

struct Around {
  edge: u32,
  side: u32,
}

// The k-th edge of a pair and the next one: links, then deaths.
fn edgeAround(shape: Shape, pair: Pair, k: u32) -> Around {
  let links = pair.nextEnd - pair.linkStart;
  var edge = pair.linkStart + k;
  var isOwn = edge < pair.linkEnd;
  if (k >= links) {
    let d = pair.rowStart + k - links;
    edge = shape.links + d;
    isOwn = d < pair.columnStart;
  }
  if (isOwn) { return Around(edge, select(OTHER, OWN, pair.index > 0)); }
  return Around(edge, select(OTHER, NEXT, pair.columnStart < shape.lastStart));
}
