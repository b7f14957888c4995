// Starts a warp: u⁰ = flow, or its median over a window; ∇I1 (central differences, borders repeated) and r = I1 − I0 at x + u⁰, sampled bicubically, both 0 where that
// leaves the image. A thread has a pixel, z is the pair; images 2z and 2z + 1 are its first and second. Twin: linearize, warp.ts.

#import run
#import format
#import base
#import bicubic

override X: u32 = 32;
override Y: u32 = 8;

@group(0) @binding(2) var<storage, read> images: array<f32>;
@group(0) @binding(3) var<storage, read> unknown: array<Pair>;
@group(0) @binding(4) var<storage, read_write> slope: array<Pair>;
@group(0) @binding(5) var<storage, read_write> residual: array<Single>;
@group(0) @binding(6) var<storage, read_write> unknownOut: array<Pair>;
@group(0) @binding(7) var<storage, read_write> dual: array<Dual>;

fn flowAt(i: u32) -> vec2f { return flowOf(unknown[i], baseAsF32(i)); }

#import smoothed

// The second image, its slope along x and along y, where no tap leaves it: 6 × 6 pixels from i on.
fn sampledInside(i: u32, alongX: vec4f, alongY: vec4f) -> vec3f {
  let a = rowAt(i, alongX);
  let b = rowAt(i + run.width, alongX);
  let c = rowAt(i + 2 * run.width, alongX);
  let d = rowAt(i + 3 * run.width, alongX);
  let e = rowAt(i + 4 * run.width, alongX);
  let f = rowAt(i + 5 * run.width, alongX);
  let value = dot(alongY, vec4f(b.x, c.x, d.x, e.x));
  let slopeX = dot(alongY, vec4f(b.y, c.y, d.y, e.y));
  let slopeY = dot(alongY, vec4f(c.x - a.x, d.x - b.x, e.x - c.x, f.x - d.x));
  return vec3f(value, 0.5 * slopeX, 0.5 * slopeY);
}

// A row's value and twice its slope between its third and fourth of six pixels.
fn rowAt(i: u32, alongX: vec4f) -> vec2f {
  let inner = vec4f(images[i + 1], images[i + 2], images[i + 3], images[i + 4]);
  let steps = vec4f(inner.y - images[i], inner.z - inner.x, inner.w - inner.y, images[i + 5] - inner.z);
  return vec2f(dot(alongX, inner), dot(alongX, steps));
}

// The same at the border, where pixels are repeated.
fn sampled(second: u32, corner: vec2f, alongX: vec4f, alongY: vec4f) -> vec3f {
  var sum = vec3f(0.0);
  for (var k = 0u; k < 4; k++) {
    let y = clamped(i32(corner.y) + i32(k) - 1, run.height);
    let row = (second + y) * run.width;
    let above = (second + clamped(i32(y) - 1, run.height)) * run.width;
    let below = (second + clamped(i32(y) + 1, run.height)) * run.width;
    for (var m = 0u; m < 4; m++) {
      let x = clamped(i32(corner.x) + i32(m) - 1, run.width);
      let left = images[row + clamped(i32(x) - 1, run.width)];
      let right = images[row + clamped(i32(x) + 1, run.width)];
      let value = vec3f(images[row + x], 0.5 * (right - left), 0.5 * (images[below + x] - images[above + x]));
      sum += alongY[k] * alongX[m] * value;
    }
  }
  return sum;
}

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let start = baseToStore(smoothed(thread));
  storeBase(i, start);
  unknownOut[i] = unknownAtStart(start);
  if (run.fresh == 1) { dual[i] = Dual(); }

  let at = vec2f(thread.xy) + start;
  let last = vec2f(f32(run.width) - 1.0, f32(run.height) - 1.0);
  if (!(all(at >= vec2f(0.0)) && all(at <= last))) {
    slope[i] = toPair(Num2(0.0));
    residual[i] = toSingle(0.0);
    return;
  }
  let corner = floor(at);
  let alongX = cubicWeights(at.x - corner.x);
  let alongY = cubicWeights(at.y - corner.y);
  let second = (2 * thread.z + 1) * run.height;
  let left = i32(corner.x) - 2;
  let top = i32(corner.y) - 2;
  var sum: vec3f;
  if (left >= 0 && top >= 0 && left + 5 < i32(run.width) && top + 5 < i32(run.height)) {
    sum = sampledInside((second + u32(top)) * run.width + u32(left), alongX, alongY);
  } else {
    sum = sampled(second, corner, alongX, alongY);
  }
  let first = images[(2 * thread.z * run.height + thread.y) * run.width + thread.x];
  slope[i] = toPair(Num2(sum.yz));
  residual[i] = residualToStore(sum.x - first, sum.yz, start);
}
