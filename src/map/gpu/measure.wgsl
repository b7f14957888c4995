// Chooses the plane that each pair moves towards, the least of its kept planes at the present v or the plane just stored, and sums
// over the edges of the pair and the next one the slope of the model towards that plane and the squared distance from it. One
// workgroup per chunk of a pair's edges; move.wgsl and the host add the chunks up.
//
// Near the optimum the plane and the combination (A, X, Y) hardly differ in value, and f32 would lose the difference of the two. So the
// slope is summed over where X and Y differ from the plane.
//
// Twin: `measure` and the first half of `moveTowards` in bundle.ts.

#import layout

override THREADS: u32 = 256;
override LANES: u32 = 16;  // threads that add up one plane's value; CAPACITY · LANES ≤ THREADS

struct Run {
  first: u32,   // of `chunks`
  count: u32,
  kept: u32,    // 1 chooses among the kept planes
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(4) var<storage, read> tail: array<u32>;
@group(0) @binding(5) var<storage, read> plane: array<u32>;
@group(0) @binding(6) var<storage, read> planes: array<Planes>;  // by pair
@group(0) @binding(7) var<storage, read> taken: array<f32>;      // X_e
@group(0) @binding(8) var<storage, read> passed: array<f32>;     // Y_e
@group(0) @binding(9) var<storage, read> v: array<f32>;
@group(0) @binding(10) var<storage, read> values: array<f32>;    // as plane-values.wgsl left them
@group(0) @binding(11) var<storage, read_write> measured: array<Measured>;  // by chunk

var<workgroup> sum: array<vec3f, THREADS>;
var<workgroup> chosen: u32;

// Leaves in `chosen` the least of the kept planes, which is the same in every chunk of a pair.
fn choosePlane(pair: Pair, thread: u32) {
  let slot = thread / LANES;
  let lane = thread % LANES;
  let stored = planes[pair.index].stored;
  sum[thread] = vec3f(0);
  if (slot < CAPACITY) {
    for (var n = lane; n < pair.blocks; n += LANES) { sum[thread].x += values[(pair.firstBlock + n) * CAPACITY + slot]; }
  }
  for (var half = LANES / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (lane < half) { sum[thread] += sum[thread + half]; }
  }
  workgroupBarrier();
  if (thread == 0) {
    chosen = stored;
    var least = 0.0;
    for (var m = 0u; m < CAPACITY; m++) {
      if (planes[pair.index].slots[m].stamp == 0) { continue; }
      let value = sum[m * LANES].x + planes[pair.index].slots[m].constant - planes[pair.index].slots[stored].constant;
      if (value < least) {
        least = value;
        chosen = m;
      }
    }
  }
}

fn measureChunk(index: u32, thread: u32) {
  let chunk = chunks[index];
  let pair = pairs[chunk.pair];
  if (run.kept == 1) {
    choosePlane(pair, thread);
  } else if (thread == 0) {
    chosen = planes[pair.index].stored;
  }
  let slot = workgroupUniformLoad(&chosen);
  var value = vec3f(0);
  for (var k = chunk.first + thread; k < chunk.end; k += THREADS) {
    let around = edgeAround(pair, k);
    let e = around.edge;
    let d = tail[e];
    if (around.isOfPair) {
      let away = select(0.0, 1.0, plane[slot * shape.detections + d] == e) - taken[e];
      value += vec3f((taken[e] - passed[e]) * v[e], away * v[e], away * away);
    } else {
      let away = select(0.0, 1.0, plane[(CAPACITY + slot) * shape.detections + d] == e) - passed[e];
      value += vec3f(0, -away * v[e], away * away);
    }
  }
  sum[thread] = value;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { sum[thread] += sum[thread + half]; }
  }
  if (thread == 0) {
    // The first chunk adds A.
    if (index == pair.firstChunk) {
      let constant = planes[pair.index].constant;
      sum[0] += vec3f(constant, planes[pair.index].slots[slot].constant - constant, 0);
    }
    measured[index] = Measured(sum[0].x, sum[0].y, sum[0].z, f32(slot));
  }
  workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var k = workgroup.x; k < run.count; k += workgroups.x) { measureChunk(run.first + k, thread); }
}
