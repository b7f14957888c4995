// Sobel's gradients, suppression across the edge in four sectors, both in integers; then the edges within the tile are joined in workgroup
// memory, so that later walks go from tile to tile. A workgroup has 16 × 16 pixels, a thread one of them.
// Twin: edgeCandidates in canny.ts.

#import canny-labels

@group(0) @binding(3) var<storage, read> image: array<i32>;

const WIDE: u32 = 18;     // the tile and a pixel around it
const READ: u32 = 20;     // and another
override TAN_22: i32;     // tan(22.5°) in units of 1 / SHIFT
override SHIFT: i32;

var<workgroup> greys: array<i32, 400>;
var<workgroup> squares: array<i32, 324>;
var<workgroup> labels: array<atomic<u32>, 256>;
var<workgroup> strongRoots: array<atomic<u32>, 256>;

fn gradient(at: u32) -> vec2i {
  let a = greys[at - READ - 1];
  let b = greys[at - READ];
  let c = greys[at - READ + 1];
  let d = greys[at - 1];
  let f = greys[at + 1];
  let g = greys[at + READ - 1];
  let h = greys[at + READ];
  let i = greys[at + READ + 1];
  return vec2i((c - a + i - g) + 2 * (f - d), (g - a + i - c) + 2 * (h - b));
}

// Above one neighbour across the edge and not below the other; above both on diagonals.
fn isRidge(at: u32, g: vec2i, m: i32) -> bool {
  let horizontal = abs(g.x) * TAN_22;
  let vertical = abs(g.y) * SHIFT;
  if (vertical < horizontal) { return m > squares[at - 1] && m >= squares[at + 1]; }
  if (vertical > horizontal + 2 * SHIFT * abs(g.x)) { return m > squares[at - WIDE] && m >= squares[at + WIDE]; }
  // The sign of gx xor gy as integers: 0 counts as positive.
  if ((g.x < 0) == (g.y < 0)) { return m > squares[at - WIDE - 1] && m > squares[at + WIDE + 1]; }
  return m > squares[at - WIDE + 1] && m > squares[at + WIDE - 1];
}

fn localRoot(pixel: u32) -> u32 {
  var at = pixel;
  var up = atomicLoad(&labels[at]);
  while (up != at) {
    at = up;
    up = atomicLoad(&labels[at]);
  }
  return at;
}

fn joinLocally(one: u32, other: u32) {
  if (atomicLoad(&labels[other]) == NONE) { return; }
  var a = localRoot(one);
  var b = localRoot(other);
  while (a != b) {
    let high = max(a, b);
    let low = min(a, b);
    let before = atomicMin(&labels[high], low);
    if (before == high) { return; }
    a = localRoot(before);
    b = localRoot(low);
  }
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) thread: u32) {
  let corner = vec2i(workgroup.xy * TILE);
  let size = vec2i(i32(run.width), i32(run.height));
  for (var k = thread; k < READ * READ; k += 256) {
    let at = clamp(corner + vec2i(vec2u(k % READ, k / READ)) - 2, vec2i(), size - 1);
    greys[k] = image[at.y * size.x + at.x];
  }
  workgroupBarrier();
  for (var k = thread; k < WIDE * WIDE; k += 256) {
    let at = vec2u(k % WIDE, k / WIDE);
    let pixel = corner + vec2i(at) - 1;
    let g = gradient((at.y + 1) * READ + at.x + 1);
    // Beyond the image there is no gradient.
    squares[k] = select(0, g.x * g.x + g.y * g.y, all(pixel >= vec2i()) && all(pixel < size));
  }
  workgroupBarrier();
  let at = (local.y + 1) * WIDE + local.x + 1;
  let pixel = corner + vec2i(local.xy);
  let inside = all(pixel < size);
  let m = squares[at];
  let isEdge = inside && u32(m) > run.low && isRidge(at, gradient((local.y + 2) * READ + local.x + 2), m);
  atomicStore(&labels[thread], select(NONE, thread, isEdge));
  atomicStore(&strongRoots[thread], 0u);
  workgroupBarrier();
  if (isEdge) {
    if (local.x > 0) { joinLocally(thread, thread - 1); }
    if (local.y > 0) {
      joinLocally(thread, thread - TILE);
      if (local.x > 0) { joinLocally(thread, thread - TILE - 1); }
      if (local.x < TILE - 1) { joinLocally(thread, thread - TILE + 1); }
    }
  }
  workgroupBarrier();
  var root = NONE;
  if (isEdge) {
    root = localRoot(thread);
    if (u32(m) > run.high) { atomicStore(&strongRoots[root], 1u); }
  }
  workgroupBarrier();
  if (!inside) { return; }
  let place = u32(pixel.y) * run.width + u32(pixel.x);
  let above = vec2u(corner) + vec2u(root % TILE, root / TILE);
  atomicStore(&parents[place], select(NONE, above.y * run.width + above.x, isEdge));
  atomicStore(&strong[place], atomicLoad(&strongRoots[thread]));
}
