// Shared by Canny's kernels: edges that touch are joined into trees, whose roots are their least pixels (union-find after Komura 2015 and
// Playne & Hawick 2018). A parent is never greater than its child, so every walk ends at a root.

struct CannyRun {
  width: u32,
  height: u32,
  low: u32,   // candidates have a squared gradient above it,
  high: u32,  // strong ones above this
}

const NONE: u32 = 0xffffffff;
const TILE: u32 = 16;

@group(0) @binding(0) var<uniform> run: CannyRun;
@group(0) @binding(1) var<storage, read_write> parents: array<atomic<u32>>;  // a pixel's parent; NONE where there is no edge
@group(0) @binding(2) var<storage, read_write> strong: array<atomic<u32>>;   // 1 at roots of trees with a strong pixel

fn rootOf(pixel: u32) -> u32 {
  var at = pixel;
  var up = atomicLoad(&parents[at]);
  while (up != at) {
    at = up;
    up = atomicLoad(&parents[at]);
  }
  return at;
}

// Joins the trees of two edge pixels, the greater root to the lesser. Who is overtaken goes on with the parent found there.
fn join(one: u32, other: u32) {
  var a = rootOf(one);
  var b = rootOf(other);
  while (a != b) {
    let high = max(a, b);
    let low = min(a, b);
    let before = atomicMin(&parents[high], low);
    if (before == high) { return; }
    a = rootOf(before);
    b = rootOf(low);
  }
}
