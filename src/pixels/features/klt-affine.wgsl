// Fits the window of a point to the second image by an affine deformation, with a gain and an offset where LIGHT: a workgroup a point. Its 32 threads share the pixels
// of the window; thread 0 solves the six equations. Twin: fitAffine in klt-affine.ts.

#import klt-window

override ITERATIONS: u32;
override STEP: f32;

@group(0) @binding(0) var<uniform> images: Images;
@group(0) @binding(3) var<storage, read_write> fits: array<Fit>;

struct Images {
  first: Level,
  second: Level,
}

// The point in the first image, and the deformation with which the fit begins and ends: x goes to a (x − x₀) + (x, y).
struct Fit {
  x0: f32,
  y0: f32,
  x: f32,
  y: f32,
  a: f32,
  b: f32,
  c: f32,
  d: f32,
  residual: f32,   // root mean square, grey levels; below 0 where the window has no fit
}

// Numbers that thread 0 computes and all threads use.
struct State {
  a: vec4f,
  at: vec2f,
  before: vec4f,
  atBefore: vec2f,
  step: f32,
  residual: f32,
  go: u32,
  isSingular: u32,
}

var<workgroup> state: State;
var<workgroup> difference: array<f32, PIXELS>;
// Of the values, the six slopes and the difference of the windows: the means, and the shares of the values without theirs; 0 unless LIGHT.
var<workgroup> means: array<f32, 8>;
var<workgroup> shares: array<f32, 8>;
// The equations' triangular root (Cholesky), by rows.
var<workgroup> root: array<f32, 36>;

// Sums of eight numbers over all threads, which thread 0 has. Called by all.
fn totals(parts: array<f32, 8>, thread: u32) -> array<f32, 8> {
  let low = total(vec4f(parts[0], parts[1], parts[2], parts[3]), thread);
  workgroupBarrier();
  let high = total(vec4f(parts[4], parts[5], parts[6], parts[7]), thread);
  workgroupBarrier();
  return array<f32, 8>(low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
}

// The value, the slopes of the six unknowns and the difference at a pixel of the window. Offsets are over half the window, so that all unknowns are of pixels.
fn columns(n: u32) -> array<f32, 8> {
  let half = f32(WINDOW - 1) / 2;
  let u = f32(n % WINDOW) / half - 1;
  let v = f32(n / WINDOW) / half - 1;
  return array<f32, 8>(value[n], gx[n] * u, gx[n] * v, gy[n] * u, gy[n] * v, gx[n], gy[n], difference[n]);
}

// The same without what a gain and an offset of the window can give.
fn unlit(n: u32) -> array<f32, 8> {
  var all = columns(n);
  if (LIGHT) {
    let lighter = all[0] - means[0];
    for (var i = 1; i < 8; i++) { all[i] -= means[i] + shares[i] * lighter; }
  }
  return all;
}

// Finds the means and the shares. Called by all threads.
fn lightOf(thread: u32) {
  if (!LIGHT) { return; }
  var sums = array<f32, 8>();
  for (var n = thread; n < PIXELS; n += THREADS) {
    let all = columns(n);
    for (var i = 0; i < 8; i++) { sums[i] += all[i]; }
  }
  let whole = totals(sums, thread);
  if (thread == 0) { for (var i = 0; i < 8; i++) { means[i] = whole[i] / f32(PIXELS); } }
  workgroupBarrier();
  var products = array<f32, 8>();
  for (var n = thread; n < PIXELS; n += THREADS) {
    let all = columns(n);
    for (var i = 0; i < 8; i++) { products[i] += (all[0] - means[0]) * (all[i] - means[i]); }
  }
  let along = totals(products, thread);
  if (thread == 0) { for (var i = 1; i < 8; i++) { shares[i] = select(0, along[i] / along[0], along[0] > 0); } }
  workgroupBarrier();
}

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let k = workgroup.y * workgroups.x + workgroup.x;
  let inside = k < arrayLength(&fits);
  let given = fits[min(k, arrayLength(&fits) - 1)];
  let half = f32(WINDOW - 1) / 2;
  let wide = WINDOW + 2;
  let corner = cornerAt(given.x0 - half - 1, given.y0 - half - 1);
  for (var n = thread; n < PATCH; n += THREADS) { patch_[n] = firstAt(images.first, corner, i32(n % wide), i32(n / wide)); }
  if (thread == 0) {
    state.a = vec4f(given.a, given.b, given.c, given.d);
    state.at = vec2f(given.x, given.y);
    state.go = 1;
  }
  workgroupBarrier();
  for (var n = thread; n < PIXELS; n += THREADS) {
    let middle = (n / WINDOW + 1) * wide + n % WINDOW + 1;
    value[n] = patch_[middle];
    gx[n] = (patch_[middle + 1] - patch_[middle - 1]) / 2;
    gy[n] = (patch_[middle + wide] - patch_[middle - wide]) / 2;
  }
  workgroupBarrier();
  for (var i = 0u; i <= ITERATIONS; i++) {
    let now = workgroupUniformLoad(&state);
    if (now.go == 0) { break; }
    for (var n = thread; n < PIXELS; n += THREADS) {
      let offset = vec2f(f32(n % WINDOW), f32(n / WINDOW)) - half;
      let place = cornerAt(now.at.x + dot(now.a.xy, offset), now.at.y + dot(now.a.zw, offset));
      difference[n] = secondAt(images.second, place, 0, 0) - value[n];
    }
    workgroupBarrier();
    lightOf(thread);
    if (i == 0) { factorize(thread); }
    var sums = array<f32, 8>();
    for (var n = thread; n < PIXELS; n += THREADS) {
      let all = unlit(n);
      for (var c = 1; c < 8; c++) { sums[c] += all[c] * all[7]; }
    }
    let right = totals(sums, thread);
    if (thread == 0) { advance(i, right); }
    workgroupBarrier();
  }
  let end = workgroupUniformLoad(&state);
  if (thread == 0 && inside) {
    fits[k] = Fit(given.x0, given.y0, end.at.x, end.at.y, end.a.x, end.a.y, end.a.z, end.a.w, end.residual);
  }
}

// The triangular root of the equations. Called by all threads. An unknown that leaves the window as it is but for rounding, as a turn does a round spot, has a row of 0 and stays
// 0; a window without any slope along one has no fit.
fn factorize(thread: u32) {
  for (var r = 0; r < 6; r++) {
    var sums = array<f32, 8>();
    for (var n = thread; n < PIXELS; n += THREADS) {
      let all = unlit(n);
      for (var c = 0; c < 6; c++) { sums[c] += all[r + 1] * all[c + 1]; }
    }
    let row = totals(sums, thread);
    if (thread == 0) {
      for (var c = 0; c <= r; c++) {
        var rest = row[c];
        for (var k = 0; k < c; k++) { rest -= root[6 * r + k] * root[6 * c + k]; }
        if (c < r) {
          root[6 * r + c] = over(rest, root[7 * c]);
        } else {
          root[7 * r] = select(0, sqrt(max(rest, 0)), rest > 1e-5 * row[r]);
        }
      }
      if (!(row[r] > 1e-12)) { state.isSingular = 1; }
    }
  }
}

// A quotient, or 0 where the divisor is.
fn over(a: f32, b: f32) -> f32 {
  return select(0, a / b, b != 0);
}

// The step after the difference was measured: whether the one before came closer, and whether there is to be another.
fn advance(iteration: u32, right: array<f32, 8>) {
  let residual = sqrt(right[7] / f32(PIXELS));
  if (iteration > 0) {
    if (!(residual < state.residual)) {
      // No closer: the fit before stays.
      state.a = state.before;
      state.at = state.atBefore;
      state.go = 0;
      return;
    }
    state.go = select(1u, 0u, state.step < STEP);
  }
  state.residual = residual;
  if (state.go == 0 || iteration == ITERATIONS) { return; }
  var move_ = array<f32, 6>();
  for (var r = 0; r < 6; r++) {
    var rest = right[r + 1];
    for (var c = 0; c < r; c++) { rest -= root[6 * r + c] * move_[c]; }
    move_[r] = over(rest, root[7 * r]);
  }
  var square = 0.0;
  for (var r = 5; r >= 0; r--) {
    var rest = move_[r];
    for (var c = r + 1; c < 6; c++) { rest -= root[6 * c + r] * move_[c]; }
    move_[r] = over(rest, root[7 * r]);
    square += move_[r] * move_[r];
  }
  // W ← W ∘ (1 + M, t)⁻¹: the point that the step takes to 0 is −(1 + M)⁻¹ t.
  let half = f32(WINDOW - 1) / 2;
  let m = vec4f(1, 0, 0, 1) + vec4f(move_[0], move_[1], move_[2], move_[3]) / half;
  let determinant = m.x * m.w - m.y * m.z;
  if (state.isSingular == 1 || !(abs(determinant) > 1e-6)) {
    state.residual = -1;
    state.go = 0;
    return;
  }
  let inverse = vec4f(m.w, -m.y, -m.z, m.x) / determinant;
  let t = -vec2f(inverse.x * move_[4] + inverse.y * move_[5], inverse.z * move_[4] + inverse.w * move_[5]);
  let a = state.a;
  state.before = a;
  state.atBefore = state.at;
  state.at += vec2f(dot(a.xy, t), dot(a.zw, t));
  state.a = vec4f(dot(a.xy, inverse.xz), dot(a.xy, inverse.yw), dot(a.zw, inverse.xz), dot(a.zw, inverse.yw));
  state.step = sqrt(square);
}
