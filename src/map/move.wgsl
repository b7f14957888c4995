// Moves the convex combination (A, X, Y) of each pair, and v with it, towards a plane: the one just stored, or the least of the
// kept ones at the present v (flag 1), by the exact line search of bundle.ts. With flag 2 it starts the bundle: stands at the
// plane in hand. One workgroup per pair; pairs of one parity touch different edges.
//
// Twin: `moveTowards`, refine and refineKept in bundle.ts.

override THREADS: u32 = 256;
override CAPACITY: u32 = 10;

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;                        // argument: τ
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> tail: array<u32>;
@group(0) @binding(4) var<storage, read> plane: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;
@group(0) @binding(6) var<storage, read_write> own: array<f32>;     // X_e
@group(0) @binding(7) var<storage, read_write> passed: array<f32>;  // Y_e
@group(0) @binding(8) var<storage, read_write> constants: array<f32>;  // A of each pair
@group(0) @binding(9) var<storage, read_write> v: array<f32>;

var<workgroup> sum: array<f32, THREADS>;
var<workgroup> other: array<f32, THREADS>;
var<workgroup> chosen: u32;
var<workgroup> least: f32;
var<workgroup> gamma: f32;

fn total(thread: u32, value: f32) -> f32 {
  workgroupBarrier();
  sum[thread] = value;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { sum[thread] += sum[thread + half]; }
  }
  workgroupBarrier();
  return sum[0];
}

fn isTaken(slot: u32, e: u32, i: u32) -> f32 { return select(0.0, 1.0, plane[slot * shape.detections + i] == e); }

fn isPassed(slot: u32, f: u32, j: u32) -> f32 {
  return select(0.0, 1.0, plane[(CAPACITY + slot) * shape.detections + j] == f);
}

// a + Σ v over the edges taken − Σ v over the edges gone on with.
fn planeValue(pair: Pair, slot: u32, thread: u32) -> f32 {
  var value = 0.0;
  if (pair.index > 0) {
    for (var i = pair.rowStart + thread; i < pair.columnStart; i += THREADS) {
      value += v[plane[slot * shape.detections + i]];
    }
  }
  if (pair.columnStart < shape.lastStart) {
    for (var j = pair.columnStart + thread; j < pair.columnEnd; j += THREADS) {
      value -= v[plane[(CAPACITY + slot) * shape.detections + j]];
    }
  }
  return total(thread, value) + bitcast<f32>(slots[pair.index * (2 + 2 * CAPACITY) + 3 + 2 * slot]);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let pair = pairs[run.first + workgroup.x];
  let mine = pair.index * (2 + 2 * CAPACITY);
  let hasOwn = pair.index > 0;
  let hasNext = pair.columnStart < shape.lastStart;
  if (thread == 0) { chosen = slots[mine + 1]; }
  if (run.flag == 1) {
    if (thread == 0) { least = 3e38; }
    for (var m = 0u; m < CAPACITY; m++) {
      let value = planeValue(pair, m, thread);
      if (thread == 0 && slots[mine + 2 + 2 * m] > 0 && value < least) {
        least = value;
        chosen = m;
      }
    }
  } else {
    let value = planeValue(pair, workgroupUniformLoad(&chosen), thread);
    if (thread == 0) { least = value; }
  }
  let slot = workgroupUniformLoad(&chosen);

  if (run.flag == 2) {
    if (hasOwn) {
      for (var e = pair.linkStart + thread; e < pair.linkEnd; e += THREADS) { own[e] = isTaken(slot, e, tail[e]); }
      if (shape.open == 1) {
        for (var i = pair.rowStart + thread; i < pair.columnStart; i += THREADS) {
          own[shape.links + i] = isTaken(slot, shape.links + i, i);
        }
      }
    }
    if (hasNext) {
      for (var f = pair.linkEnd + thread; f < pair.nextEnd; f += THREADS) { passed[f] = isPassed(slot, f, tail[f]); }
      if (shape.open == 1) {
        for (var j = pair.columnStart + thread; j < pair.columnEnd; j += THREADS) {
          passed[shape.links + j] = isPassed(slot, shape.links + j, j);
        }
      }
    }
    if (thread == 0) { constants[pair.index] = bitcast<f32>(slots[mine + 3 + 2 * slot]); }
    return;
  }

  var present = 0.0;
  var distance = 0.0;
  if (hasOwn) {
    for (var e = pair.linkStart + thread; e < pair.linkEnd; e += THREADS) {
      let d = isTaken(slot, e, tail[e]) - own[e];
      present += own[e] * v[e];
      distance += d * d;
    }
    if (shape.open == 1) {
      for (var i = pair.rowStart + thread; i < pair.columnStart; i += THREADS) {
        let e = shape.links + i;
        let d = isTaken(slot, e, i) - own[e];
        present += own[e] * v[e];
        distance += d * d;
      }
    }
  }
  if (hasNext) {
    for (var f = pair.linkEnd + thread; f < pair.nextEnd; f += THREADS) {
      let d = isPassed(slot, f, tail[f]) - passed[f];
      present -= passed[f] * v[f];
      distance += d * d;
    }
    if (shape.open == 1) {
      for (var j = pair.columnStart + thread; j < pair.columnEnd; j += THREADS) {
        let f = shape.links + j;
        let d = isPassed(slot, f, j) - passed[f];
        present -= passed[f] * v[f];
        distance += d * d;
      }
    }
  }
  let here = total(thread, present) + constants[pair.index];
  let span = total(thread, distance);
  if (thread == 0) {
    gamma = 0.0;
    if (span > 0.0) { gamma = clamp((here - least) / (run.argument * span), 0.0, 1.0); }
    if (gamma > 0.0) {
      constants[pair.index] += gamma * (bitcast<f32>(slots[mine + 3 + 2 * slot]) - constants[pair.index]);
      slots[mine] += 1;
      slots[mine + 2 + 2 * slot] = slots[mine];
    }
  }
  let share = workgroupUniformLoad(&gamma);
  if (share == 0.0) { return; }
  if (hasOwn) {
    for (var e = pair.linkStart + thread; e < pair.linkEnd; e += THREADS) {
      let d = share * (isTaken(slot, e, tail[e]) - own[e]);
      own[e] += d;
      v[e] += run.argument * d;
    }
    if (shape.open == 1) {
      for (var i = pair.rowStart + thread; i < pair.columnStart; i += THREADS) {
        let e = shape.links + i;
        let d = share * (isTaken(slot, e, i) - own[e]);
        own[e] += d;
        v[e] += run.argument * d;
      }
    }
  }
  if (hasNext) {
    for (var f = pair.linkEnd + thread; f < pair.nextEnd; f += THREADS) {
      let d = share * (isPassed(slot, f, tail[f]) - passed[f]);
      passed[f] += d;
      v[f] -= run.argument * d;
    }
    if (shape.open == 1) {
      for (var j = pair.columnStart + thread; j < pair.columnEnd; j += THREADS) {
        let f = shape.links + j;
        let d = share * (isPassed(slot, f, j) - passed[f]);
        passed[f] += d;
        v[f] -= run.argument * d;
      }
    }
  }
}
