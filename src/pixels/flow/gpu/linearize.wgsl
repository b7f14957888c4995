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
@group(0) @binding(6) var<storage, read_write> unknown_out: array<Pair>;
@group(0) @binding(7) var<storage, read_write> dual: array<Dual>;

fn flow_at(i: u32) -> vec2f { return flow_of(unknown[i], base_as_f32(i)); }

#import smoothed

// The second image, its slope along x and along y, where no tap leaves it: 6 × 6 pixels from i on.
fn sampled_inside(i: u32, along_x: vec4f, along_y: vec4f) -> vec3f {
  let a = row_at(i, along_x);
  let b = row_at(i + run.width, along_x);
  let c = row_at(i + 2 * run.width, along_x);
  let d = row_at(i + 3 * run.width, along_x);
  let e = row_at(i + 4 * run.width, along_x);
  let f = row_at(i + 5 * run.width, along_x);
  let value = dot(along_y, vec4f(b.x, c.x, d.x, e.x));
  let slope_x = dot(along_y, vec4f(b.y, c.y, d.y, e.y));
  let slope_y = dot(along_y, vec4f(c.x - a.x, d.x - b.x, e.x - c.x, f.x - d.x));
  return vec3f(value, 0.5 * slope_x, 0.5 * slope_y);
}

// A row's value and twice its slope between its third and fourth of six pixels.
fn row_at(i: u32, along_x: vec4f) -> vec2f {
  let inner = vec4f(images[i + 1], images[i + 2], images[i + 3], images[i + 4]);
  let steps = vec4f(inner.y - images[i], inner.z - inner.x, inner.w - inner.y, images[i + 5] - inner.z);
  return vec2f(dot(along_x, inner), dot(along_x, steps));
}

// The same at the border, where pixels are repeated.
fn sampled(second: u32, corner: vec2f, along_x: vec4f, along_y: vec4f) -> vec3f {
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
      sum += along_y[k] * along_x[m] * value;
    }
  }
  return sum;
}

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let i = (thread.z * run.height + thread.y) * run.width + thread.x;
  let start = base_to_store(smoothed(thread));
  store_base(i, start);
  unknown_out[i] = unknown_at_start(start);
  if (run.fresh == 1) { dual[i] = Dual(); }

  let at = vec2f(thread.xy) + start;
  let last = vec2f(f32(run.width) - 1.0, f32(run.height) - 1.0);
  if (!(all(at >= vec2f(0.0)) && all(at <= last))) {
    slope[i] = to_pair(Num2(0.0));
    residual[i] = to_single(0.0);
    return;
  }
  let corner = floor(at);
  let along_x = cubic_weights(at.x - corner.x);
  let along_y = cubic_weights(at.y - corner.y);
  let second = (2 * thread.z + 1) * run.height;
  let left = i32(corner.x) - 2;
  let top = i32(corner.y) - 2;
  var sum: vec3f;
  if (left >= 0 && top >= 0 && left + 5 < i32(run.width) && top + 5 < i32(run.height)) {
    sum = sampled_inside((second + u32(top)) * run.width + u32(left), along_x, along_y);
  } else {
    sum = sampled(second, corner, along_x, along_y);
  }
  let first = images[(2 * thread.z * run.height + thread.y) * run.width + thread.x];
  slope[i] = to_pair(Num2(sum.yz));
  residual[i] = residual_to_store(sum.x - first, sum.yz, start);
}
