// The response of every pixel: Sobel's gradients, their products summed over 3 × 3 pixels, and Harris's measure or the least eigenvalue. A
// workgroup has 16 × 16 pixels and the products around them in workgroup memory; a thread a pixel. For 8-bit images the sums are exact.
// Twin: cornerResponse in corners.ts.

#import corners
#import ../border

override HARRIS: bool = true;
override SIDE: f32 = 1;     // weights of the window: its side and its middle, along each axis
override MIDDLE: f32 = 1;
override UNIT: f32;         // of the products: the square of the gradients' scale

@group(0) @binding(1) var<storage, read> image: array<f32>;
@group(0) @binding(2) var<storage, read_write> response: array<f32>;
@group(0) @binding(3) var<storage, read_write> count: CornerCount;

const TILE: i32 = 16;
const WIDE: i32 = 18;

var<workgroup> products: array<vec3f, 324>;  // gx², gx gy, gy² of WIDE × WIDE pixels
var<workgroup> largest: atomic<u32>;

fn grey(x: i32, y: i32) -> f32 {
  let column = mirrored(x, i32(run.width));
  let row = mirrored(y, i32(run.height));
  return image[row * i32(run.width) + column];
}

fn product(x: i32, y: i32) -> vec3f {
  let a = grey(x - 1, y - 1);
  let b = grey(x, y - 1);
  let c = grey(x + 1, y - 1);
  let d = grey(x - 1, y);
  let f = grey(x + 1, y);
  let g = grey(x - 1, y + 1);
  let h = grey(x, y + 1);
  let i = grey(x + 1, y + 1);
  let gx = (c - a + i - g) + 2 * (f - d);
  let gy = (g - a + i - c) + 2 * (h - b);
  return vec3f(gx * gx, gx * gy, gy * gy);
}

fn row(at: i32) -> vec3f {
  return SIDE * (products[at - 1] + products[at + 1]) + MIDDLE * products[at];
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) thread: u32) {
  let left = i32(workgroup.x) * TILE;
  let top = i32(workgroup.y) * TILE;
  if (thread == 0) { atomicStore(&largest, 0u); }
  for (var k = i32(thread); k < WIDE * WIDE; k += TILE * TILE) {
    let x = mirrored(left + k % WIDE - 1, i32(run.width));
    let y = mirrored(top + k / WIDE - 1, i32(run.height));
    products[k] = product(x, y);
  }
  workgroupBarrier();
  let x = left + i32(local.x);
  let y = top + i32(local.y);
  if (x < i32(run.width) && y < i32(run.height)) {
    let at = (i32(local.y) + 1) * WIDE + i32(local.x) + 1;
    let sum = (SIDE * (row(at - WIDE) + row(at + WIDE)) + MIDDLE * row(at)) * UNIT;
    var value: f32;
    if (HARRIS) {
      let trace = sum.x + sum.z;
      value = sum.x * sum.z - sum.y * sum.y - run.kappa * trace * trace;
    } else {
      let half = (sum.x - sum.z) / 2;
      value = (sum.x + sum.z) / 2 - sqrt(half * half + sum.y * sum.y);
    }
    response[y * i32(run.width) + x] = value;
    if (value > 0) { atomicMax(&largest, bitcast<u32>(value)); }
  }
  workgroupBarrier();
  if (thread == 0) {
    let most = atomicLoad(&largest);
    if (most > 0) { atomicMax(&count.largest, most); }
  }
}
