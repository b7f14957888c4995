// Tracks a point through all levels and iterations: a workgroup a point. Its 32 threads share the pixels of the window, whose values and gradients lie in
// workgroup memory; thread 0 solves the two equations. Twin: trackKltOnCpu in klt-track.ts.

#import klt-window

override ITERATIONS: u32;
override STEP: f32;
override LEAST_EIGENVALUE: f32;
// Whether the gradients are the mean of both windows' (Sinha), and not the first's.
override SYMMETRIC: bool;

@group(0) @binding(0) var<uniform> shape: Pyramid;
@group(0) @binding(3) var<storage, read> points: array<Track>;           // x and y where they are in the first image
@group(0) @binding(4) var<storage, read_write> tracks: array<Track>;     // and in the second

struct Track {
  x: f32,
  y: f32,
  residual: f32,     // root mean square, grey levels
  status: u32,       // TRACKED, FLAT or OUTSIDE
  iterations: u32,
  lastStep: f32,     // pixels
}

override TRACKED: u32;
override FLAT: u32;
override OUTSIDE: u32;

// Numbers that thread 0 computes and all threads use.
struct State {
  at: vec2f,
  last: vec2f,
  inverse: vec3f,   // A⁻¹: xx, xy, yy; 0 where it has none
  status: u32,
  go: u32,
  iterations: u32,
  mean: vec4f,      // of values and gradients
  along: vec4f,     // of the values with themselves and with gradients
}

var<workgroup> state: State;

fn isOutside(level: Level, at: vec2f) -> bool {
  let side = i32(WINDOW);
  let corner = vec2i(floor(at - f32(WINDOW - 1) / 2));
  return !(corner.x >= -side && corner.y >= -side && corner.x < i32(level.width) && corner.y < i32(level.height));
}

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let k = workgroup.y * workgroups.x + workgroup.x;
  let inside = k < arrayLength(&points);
  let point = points[min(k, arrayLength(&points) - 1)];
  let half = f32(WINDOW - 1) / 2;
  let wide = WINDOW + 2;
  if (thread == 0) {
    state.at = vec2f(point.x, point.y) * exp2(-f32(shape.count - 1));
    state.iterations = 0;
  }
  workgroupBarrier();
  for (var l = shape.count; l > 0; l--) {
    let level = shape.levels[l - 1];
    let p = vec2f(point.x, point.y) * exp2(-f32(l - 1));
    let corner = cornerAt(p.x - half - 1, p.y - half - 1);
    for (var n = thread; n < PATCH; n += THREADS) { patch_[n] = firstAt(level, corner, i32(n % wide), i32(n / wide)); }
    workgroupBarrier();
    var sums = vec3f();
    for (var n = thread; n < PIXELS; n += THREADS) {
      let v = select(vec2f(), scharr(n), counts(level, p, n));
      value[n] = patch_[(n / WINDOW + 1) * wide + n % WINDOW + 1];
      gx[n] = v.x;
      gy[n] = v.y;
      sums += productsOf(v);
    }
    if (LIGHT) {
      let share = lightOf(level, p, thread, false);
      sums = vec3f();
      for (var n = thread; n < PIXELS; n += THREADS) {
        if (!counts(level, p, n)) { continue; }
        let v = unlit(vec2f(gx[n], gy[n]), n, share);
        gx[n] = v.x;
        gy[n] = v.y;
        sums += productsOf(v);
      }
    }
    let products = total(vec4f(sums, 0), thread);
    if (thread == 0) { begin(level, p, products.xyz); }
    for (var i = 0u; i < ITERATIONS; i++) {
      let now = workgroupUniformLoad(&state);
      if (now.go == 0) { break; }
      let to = cornerAt(now.at.x - half, now.at.y - half);
      var b = vec2f();
      if (SYMMETRIC) {
        b = meanGradients(level, p, now.at, thread);
      } else {
        for (var n = thread; n < PIXELS; n += THREADS) {
          let difference = value[n] - secondAt(level, to, i32(n % WINDOW), i32(n / WINDOW));
          b += vec2f(gx[n], gy[n]) * difference;
        }
      }
      let right = total(vec4f(b, 0, 0), thread);
      if (thread == 0) { advance(level, i, right.xy); }
    }
    workgroupBarrier();
    if (thread == 0 && l > 1) { state.at *= 2; }
    workgroupBarrier();
  }
  let end = workgroupUniformLoad(&state);
  let level = shape.levels[0];
  let to = cornerAt(end.at.x - half, end.at.y - half);
  // Differences take the place of the gradients.
  var sums = vec4f();
  for (var n = thread; n < PIXELS; n += THREADS) {
    gx[n] = value[n] - secondAt(level, to, i32(n % WINDOW), i32(n / WINDOW));
    sums += vec4f(value[n], gx[n], 0, 1);
  }
  let whole = total(sums, thread);
  if (thread == 0) { state.mean = select(vec4f(), whole / f32(PIXELS), LIGHT); }
  let mean = workgroupUniformLoad(&state).mean;
  var squares = vec4f();
  for (var n = thread; n < PIXELS; n += THREADS) {
    let v = vec2f(value[n], gx[n]) - mean.xy;
    squares += vec4f(v.x * v.x, v.x * v.y, v.y * v.y, 0);
  }
  let all = total(squares, thread);
  if (thread == 0 && inside) {
    let lit = select(0, all.y * all.y / all.x, LIGHT && all.x > 0);
    let residual = sqrt(max(all.z - lit, 0) / f32(PIXELS));
    tracks[k] = Track(end.at.x, end.at.y, residual, end.status, end.iterations, length(end.last));
  }
}

// Whether a pixel of the window lies in the image; those beyond do not count.
fn counts(level: Level, p: vec2f, n: u32) -> bool {
  let at = p - f32(WINDOW - 1) / 2 + vec2f(f32(n % WINDOW), f32(n / WINDOW));
  return all(at >= vec2f()) && at.x <= f32(level.width - 1) && at.y <= f32(level.height - 1);
}

// Scharr's gradients of the patch at a pixel of the window, grey levels a pixel.
fn scharr(n: u32) -> vec2f {
  let wide = WINDOW + 2;
  let a = n / WINDOW * wide + n % WINDOW;
  let d = a + wide;
  let g = d + wide;
  return vec2f(
    3 * (patch_[a + 2] - patch_[a] + patch_[g + 2] - patch_[g]) + 10 * (patch_[d + 2] - patch_[d]),
    3 * (patch_[g] - patch_[a] + patch_[g + 2] - patch_[a + 2]) + 10 * (patch_[g + 1] - patch_[a + 1]),
  ) / 32;
}

fn productsOf(v: vec2f) -> vec3f {
  return vec3f(v.x * v.x, v.x * v.y, v.y * v.y);
}

// What a gain and an offset of the first window give of the gradients, of the first window or of the patch: state.mean, and these shares of the
// values without their mean. Called by all threads.
fn lightOf(level: Level, p: vec2f, thread: u32, ofPatch: bool) -> vec2f {
  workgroupBarrier();
  var sums = vec4f();
  for (var n = thread; n < PIXELS; n += THREADS) {
    if (counts(level, p, n)) { sums += vec4f(value[n], gradientAt(n, ofPatch), 1); }
  }
  let all = total(sums, thread);
  if (thread == 0) { state.mean = all / all.w; }
  let mean = workgroupUniformLoad(&state).mean;
  var products = vec4f();
  for (var n = thread; n < PIXELS; n += THREADS) {
    let v = vec3f(value[n], gradientAt(n, ofPatch)) - mean.xyz;
    if (counts(level, p, n)) { products += vec4f(v.x * v, 0); }
  }
  let whole = total(products, thread);
  if (thread == 0) { state.along = whole; }
  let along = workgroupUniformLoad(&state).along;
  return select(vec2f(), along.yz / along.x, along.x > 0);
}

fn gradientAt(n: u32, ofPatch: bool) -> vec2f {
  if (ofPatch) { return scharr(n); }
  return vec2f(gx[n], gy[n]);
}

// Leaves of a gradient what no gain and no offset can give.
fn unlit(v: vec2f, n: u32, share: vec2f) -> vec2f {
  return v - state.mean.yz - share * (value[n] - state.mean.x);
}

// The equations of the mean of both windows' gradients, and a thread's part of their right side. Called by all threads.
fn meanGradients(level: Level, p: vec2f, at: vec2f, thread: u32) -> vec2f {
  let half = f32(WINDOW - 1) / 2;
  let wide = WINDOW + 2;
  let corner = cornerAt(at.x - half - 1, at.y - half - 1);
  for (var n = thread; n < PATCH; n += THREADS) { patch_[n] = secondAt(level, corner, i32(n % wide), i32(n / wide)); }
  workgroupBarrier();
  var share = vec2f();
  if (LIGHT) { share = lightOf(level, p, thread, true); }
  var a = vec3f();
  var b = vec2f();
  for (var n = thread; n < PIXELS; n += THREADS) {
    var v = scharr(n);
    if (LIGHT && counts(level, p, n)) { v = unlit(v, n, share); }
    v = (v + vec2f(gx[n], gy[n])) / 2;
    a += productsOf(v);
    b += v * (value[n] - patch_[(n / WINDOW + 1) * wide + n % WINDOW + 1]);
  }
  let products = total(vec4f(a, 0), thread);
  if (thread == 0) { state.inverse = inverseOf(products.xyz); }
  workgroupBarrier();
  return b;
}

// A⁻¹, or 0 where the window has too little texture.
fn inverseOf(a: vec3f) -> vec3f {
  let least = (a.x + a.z - length(vec2f(a.x - a.z, 2 * a.y))) / 2;
  let determinant = a.x * a.z - a.y * a.y;
  if (least / f32(PIXELS) / 1024 < LEAST_EIGENVALUE || determinant <= 0) { return vec3f(); }
  return vec3f(a.z, -a.y, a.x) / determinant;
}

// A level begins: the equations, and whether they have a solution.
fn begin(level: Level, p: vec2f, a: vec3f) {
  state.status = TRACKED;
  state.go = 1;
  state.last = vec2f();
  state.inverse = inverseOf(a);
  if (isOutside(level, p)) {
    state.status = OUTSIDE;
    state.go = 0;
  } else if (all(state.inverse == vec3f())) {
    state.status = FLAT;
    state.go = 0;
  } else if (isOutside(level, state.at)) {
    state.status = OUTSIDE;
    state.go = 0;
  }
}

// A step, and whether there is to be another.
fn advance(level: Level, iteration: u32, b: vec2f) {
  if (all(state.inverse == vec3f())) {
    state.status = FLAT;
    state.go = 0;
    return;
  }
  let d = vec2f(state.inverse.x * b.x + state.inverse.y * b.y, state.inverse.y * b.x + state.inverse.z * b.y);
  state.at += d;
  state.iterations += 1;
  let undone = iteration > 0 && all(abs(d + state.last) < vec2f(STEP));
  state.last = d;
  if (dot(d, d) <= STEP * STEP) {
    state.go = 0;
  } else if (undone) {
    state.at -= d / 2;
    state.last = vec2f();
    state.go = 0;
  }
  if (isOutside(level, state.at)) {
    state.status = OUTSIDE;
    state.go = 0;
  }
}
