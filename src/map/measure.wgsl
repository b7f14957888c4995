// The bundle's model at the present point and ‖X − Y‖², by pair: model = A + Σ (X − Y) v. One workgroup per pair.
//
// Twin: BundleKernels.measure in bundle.ts.

override THREADS: u32 = 256;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> pairs: array<Pair>;
@group(0) @binding(2) var<storage, read> own: array<f32>;
@group(0) @binding(3) var<storage, read> passed: array<f32>;
@group(0) @binding(4) var<storage, read> constants: array<f32>;
@group(0) @binding(5) var<storage, read> v: array<f32>;
@group(0) @binding(6) var<storage, read_write> measured: array<vec2f>;  // model, norm

var<workgroup> sum: array<vec2f, THREADS>;

fn at(e: u32) -> vec2f {
  let s = own[e] - passed[e];
  return vec2f(s * v[e], s * s);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let pair = pairs[workgroup.x];
  var value = vec2f(0);
  if (pair.index > 0) {
    for (var e = pair.linkStart + thread; e < pair.linkEnd; e += THREADS) { value += at(e); }
    if (shape.open == 1) {
      for (var i = pair.rowStart + thread; i < pair.columnStart; i += THREADS) { value += at(shape.links + i); }
    }
  }
  sum[thread] = value;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { sum[thread] += sum[thread + half]; }
  }
  if (thread == 0) { measured[pair.index] = sum[0] + vec2f(constants[pair.index], 0); }
}
