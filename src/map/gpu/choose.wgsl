// The edges of the X-LAPs' matching: the one each detection leaves by and the one it is entered by. A thread handles a detection
// as a row. The births of detections that no link enters are written beforehand by choose-births.wgsl.
//
// Twin: linkOfRow and rowOfColumn, which the CPU's LAP writes itself.

#import layout

override THREADS: u32 = 64;

struct Run {
  first: u32,   // detection
  count: u32,
}

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> detections: array<Detection>;
@group(0) @binding(2) var<storage, read> column: array<u32>;       // of each link within its frame pair, increasing from a detection
@group(0) @binding(3) var<storage, read> head: array<u32>;
@group(0) @binding(4) var<storage, read> columnOfRow: array<i32>;  // by detection
@group(0) @binding(5) var<storage, read_write> outEdge: array<u32>;
@group(0) @binding(6) var<storage, read_write> intoEdge: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var k = thread.x; k < run.count; k += workgroups.x * THREADS) { chooseFor(run.first + k); }
}

fn chooseFor(d: u32) {
  let chosen = columnOfRow[d];
  if (chosen < 0) {
    outEdge[d] = detections[d].death;
    return;
  }
  var low = detections[d].linkStart;
  var high = detections[d].linkEnd;
  while (low + 1 < high) {
    let middle = (low + high) / 2;
    if (column[middle] <= u32(chosen)) { low = middle; } else { high = middle; }
  }
  outEdge[d] = low;
  intoEdge[head[low]] = low;
}
