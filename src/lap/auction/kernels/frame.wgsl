// What every kernel of an auction shares: sizes, points on a grid of whole steps, and the state of each person. The twin is fixed-auction.ts.

struct Frame {
  persons: u32,
  objects: u32,
  // d_max in steps, at most 2^20, and epsilon in steps.
  reach: u32,
  epsilon: u32,
  // Lowest bits of a packed word: the owner.
  id_bits: u32,
  // Of the kernel that runs all rounds.
  most_rounds: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> person_at: array<vec2i>;
@group(0) @binding(2) var<storage, read> object_at: array<vec2i>;
// Candidates of person i: candidate[start[i]] to candidate[start[i + 1] - 1], increasing.
@group(0) @binding(3) var<storage, read> start: array<u32>;
@group(0) @binding(4) var<storage, read> candidate: array<u32>;
// Per person: the object it last bid on, or NOBODY before the first bid, or ALONE for good.
@group(0) @binding(5) var<storage, read_write> wanted: array<u32>;

const NOBODY = 0xffffffffu;
const ALONE = 0xfffffffeu;

// Best object of those seen, its value, and the second best value, at least 0.
struct Choice {
  value: i32,
  second: i32,
  object: u32,
}

// The square of a number below 2^21, high word first.
fn square(a: u32) -> vec2u {
  let low = a & 0xffffu;
  let high = a >> 16u;
  let middle = 2u * low * high;
  let sum = low * low + (middle << 16u);
  let carry = select(0u, 1u, sum < low * low);
  return vec2u(high * high + (middle >> 16u) + carry, sum);
}

fn less(a: vec2u, b: vec2u) -> bool {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// The distance rounded down: a square root in f32, corrected in whole numbers, so that all devices agree.
fn distance_of(dx: u32, dy: u32) -> u32 {
  let a = square(dx);
  let b = square(dy);
  let low = a.y + b.y;
  let whole = vec2u(a.x + b.x + select(0u, 1u, low < a.y), low);
  var root = u32(sqrt(f32(whole.x) * 4294967296.0 + f32(whole.y)));
  while (less(whole, square(root))) {
    root--;
  }
  while (!less(whole, square(root + 1u))) {
    root++;
  }
  return root;
}

fn utility_of(i: u32, j: u32) -> u32 {
  let d = abs(person_at[i] - object_at[j]);
  let far = i32(frame.reach);
  if (d.x >= far || d.y >= far) {
    return 0u;
  }
  let distance = distance_of(u32(d.x), u32(d.y));
  return frame.reach - min(frame.reach, distance);
}

fn better(a: Choice, b: Choice) -> Choice {
  if (b.value > a.value || (b.value == a.value && b.object < a.object)) {
    return Choice(b.value, max(a.value, b.second), b.object);
  }
  return Choice(a.value, max(a.second, b.value), a.object);
}
