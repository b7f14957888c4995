// How far all pairs are from the homographies of samples of four: Σ min(error there and back, limit). A workgroup has the next sample of its stride, a
// thread every 64th pair. A homography needs no matrix here: with κᵢ = μᵢ/λᵢ, where p₃ = Σ λᵢ pᵢ and q₃ = Σ μᵢ qᵢ up to scale, it takes a point X to
// Σ κᵢ Aᵢ qᵢ / Σ κᵢ Aᵢ, Aᵢ the area of the triangle p₀ p₁ p₂ with X for its corner i; only differences of points enter, which keeps f32 exact enough.
// Twin: HomographySearch.consider in ransac.ts.

struct SampleRun {
  pairs: u32,
  samples: u32,
  limit: f32,   // pixels²
}

@group(0) @binding(0) var<uniform> run: SampleRun;
@group(0) @binding(1) var<storage, read> pairs: array<vec4f>;           // x, y, u, v from the middle of the points
@group(0) @binding(2) var<storage, read> samples: array<vec4u>;         // numbers of pairs
@group(0) @binding(3) var<storage, read_write> scores: array<f32>;      // DROPPED for samples that are not plausible

const DROPPED: f32 = 3e38;
// Of triangles, twice: half of what the twin asks for, so that no sample is dropped here that is not dropped there.
const LEAST_AREA: f32 = 0.5;

var<workgroup> sums: array<f32, 64>;

fn area(a: vec2f, b: vec2f, c: vec2f) -> f32 {
  let p = b - a;
  let q = c - a;
  return p.x * q.y - q.x * p.y;
}

fn areas(a: vec2f, b: vec2f, c: vec2f, d: vec2f) -> vec4f {
  return vec4f(area(d, b, c), area(a, d, c), area(a, b, d), area(a, b, c));
}

// Where x of the triangle a b c goes, with corners there and weights of the corners.
fn moved(x: vec2f, a: vec2f, b: vec2f, c: vec2f, to: vec2f, second: vec2f, third: vec2f, weight: vec3f) -> vec2f {
  let w = weight * vec3f(area(x, b, c), area(a, x, c), area(a, b, x));
  return to + (w.y * second + w.z * third) / (w.x + w.y + w.z);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var s = workgroup.x; s < run.samples; s += workgroups.x) {
    let four = samples[s];
    let a = pairs[four.x];
    let b = pairs[four.y];
    let c = pairs[four.z];
    let d = pairs[four.w];
    let here = areas(a.xy, b.xy, c.xy, d.xy);
    let there = areas(a.zw, b.zw, c.zw, d.zw);
    let plausible = all(abs(here) >= vec4f(LEAST_AREA)) && all(abs(there) >= vec4f(LEAST_AREA)) && all((here < vec4f()) == (there < vec4f()));
    let forth = there.xyz / here.xyz;
    let back = here.xyz / there.xyz;
    var sum = 0.0;
    if (plausible) {
      for (var k = thread; k < run.pairs; k += 64) {
        let pair = pairs[k];
        let q = moved(pair.xy, a.xy, b.xy, c.xy, a.zw, b.zw - a.zw, c.zw - a.zw, forth) - pair.zw;
        let p = moved(pair.zw, a.zw, b.zw, c.zw, a.xy, b.xy - a.xy, c.xy - a.xy, back) - pair.xy;
        let error = dot(q, q) + dot(p, p);
        // A point on the horizon has no error that is a number.
        sum += select(run.limit, error, error < run.limit);
      }
    }
    sums[thread] = sum;
    workgroupBarrier();
    if (thread == 0) {
      var total = 0.0;
      for (var k = 0u; k < 64; k++) { total += sums[k]; }
      scores[s] = select(DROPPED, total, plausible);
    }
    workgroupBarrier();
  }
}
