// Shared by every kernel of an auction: sizes, points on a grid of whole steps, and the state of each person. The twin is lab/sorting/fixed-auction.ts.

struct Frame {
  persons: u32,
  objects: u32,
  // d_max in steps, at most 2^20, and ε in steps.
  reach: u32,
  epsilon: u32,
  // Lowest bits of a packed word: the owner.
  idBits: u32,
  // Of the kernel that runs all rounds.
  mostRounds: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> personAt: array<vec2i>;
@group(0) @binding(2) var<storage, read> objectAt: array<vec2i>;
// Candidates of person i: candidate[rowStart[i]] to candidate[rowStart[i + 1] − 1], increasing.
@group(0) @binding(3) var<storage, read> rowStart: array<u32>;
@group(0) @binding(4) var<storage, read> candidate: array<u32>;
// Per person: 1 + the object that it last bid on, 0 before its first bid, or ALONE for good.
@group(0) @binding(5) var<storage, read_write> wanted: array<u32>;

const ALONE = 0xffffffffu;

// The square of a number below 2^21, high word first.
fn square(a: u32) -> vec2u {
  let low = a & 0xffff;
  let high = a >> 16;
  let middle = 2 * low * high;
  let sum = low * low + (middle << 16);
  return vec2u(high * high + (middle >> 16) + u32(sum < low * low), sum);
}

fn less(a: vec2u, b: vec2u) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }

// The distance rounded down: a square root in f32, corrected in whole numbers, so that all devices agree.
fn distanceOf(dx: u32, dy: u32) -> u32 {
  let a = square(dx);
  let b = square(dy);
  let low = a.y + b.y;
  let whole = vec2u(a.x + b.x + u32(low < a.y), low);
  var root = u32(sqrt(f32(whole.x) * 4294967296.0 + f32(whole.y)));
  while (less(whole, square(root))) { root--; }
  while (!less(whole, square(root + 1))) { root++; }
  return root;
}

fn utilityOf(i: u32, j: u32) -> u32 {
  let d = abs(personAt[i] - objectAt[j]);
  let far = i32(frame.reach);
  if (d.x >= far || d.y >= far) { return 0; }
  return frame.reach - min(frame.reach, distanceOf(u32(d.x), u32(d.y)));
}
