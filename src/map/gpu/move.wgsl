// Moves the convex combination (A, X, Y) of each pair, and v with it, towards the plane that measure.wgsl chose, by the exact line
// search of bundle.ts. It can also begin the bundle at the plane just stored. One workgroup per chunk of a pair's
// edges; pairs of one parity touch different edges.
//
// Twin: the second half of `moveTowards` in bundle.ts, and `begin`.

#import layout

override THREADS: u32 = 256;

struct Run {
  first: u32,   // of `chunks`
  count: u32,
  tau: f32,
  begin: u32,   // 1 begins the bundle at the plane just stored
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(4) var<storage, read> tail: array<u32>;
@group(0) @binding(5) var<storage, read> plane: array<u32>;
@group(0) @binding(6) var<storage, read_write> planes: array<Planes>;  // by pair
@group(0) @binding(7) var<storage, read_write> taken: array<f32>;      // X_e
@group(0) @binding(8) var<storage, read_write> passed: array<f32>;     // Y_e
@group(0) @binding(9) var<storage, read_write> v: array<f32>;
@group(0) @binding(10) var<storage, read> measured: array<Measured>;   // as measure.wgsl left it

var<workgroup> sum: array<vec2f, THREADS>;  // slope, distance
var<workgroup> share: f32;

// The best step towards the plane, from 0 to 1; it is the same in every workgroup of the pair.
fn stepLength(pair: Pair, chunkCount: u32, thread: u32) -> f32 {
  var part = vec2f(0);
  for (var c = thread; c < chunkCount; c += THREADS) {
    let chunk = measured[pair.firstChunk + c];
    part += vec2f(chunk.slope, chunk.distance);
  }
  sum[thread] = part;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { sum[thread] += sum[thread + half]; }
  }
  if (thread == 0) {
    let total = sum[0];
    share = select(0.0, clamp(-total.x / (run.tau * total.y), 0.0, 1.0), total.y > 0.0);
  }
  return workgroupUniformLoad(&share);
}

fn moveChunk(index: u32, thread: u32) {
  let chunk = chunks[index];
  let pair = pairs[chunk.pair];
  let begins = run.begin == 1;
  var slot = planes[pair.index].stored;
  var part = 1.0;
  if (!begins) {
    slot = u32(measured[pair.firstChunk].slot);
    part = stepLength(pair, chunk.count, thread);
    if (part == 0.0) { return; }
  }
  if (thread == 0 && index == pair.firstChunk) {
    let ofPair = &planes[pair.index];
    let planeConstant = (*ofPair).slots[slot].constant;
    if (begins) {
      (*ofPair).constant = planeConstant;
    } else {
      (*ofPair).constant += part * (planeConstant - (*ofPair).constant);
      (*ofPair).stamp += 1;
      (*ofPair).slots[slot].stamp = (*ofPair).stamp;
    }
  }
  for (var k = chunk.first + thread; k < chunk.end; k += THREADS) {
    let around = edgeAround(pair, k);
    let e = around.edge;
    let d = tail[e];
    if (around.isOfPair) {
      let aim = select(0.0, 1.0, plane[slot * shape.detections + d] == e);
      if (begins) {
        taken[e] = aim;
      } else {
        let step = part * (aim - taken[e]);
        if (step == 0.0) { continue; }
        taken[e] += step;
        v[e] += run.tau * step;
      }
    } else {
      let aim = select(0.0, 1.0, plane[(CAPACITY + slot) * shape.detections + d] == e);
      if (begins) {
        passed[e] = aim;
      } else {
        let step = part * (aim - passed[e]);
        if (step == 0.0) { continue; }
        passed[e] += step;
        v[e] -= run.tau * step;
      }
    }
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var k = workgroup.x; k < run.count; k += workgroups.x) { moveChunk(run.first + k, thread); }
}
