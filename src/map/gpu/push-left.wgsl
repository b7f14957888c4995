// Gives a share of the X-LAPs' reduced costs to the triplets before: v_e −= share · max(0, Ĉ_e − α − β). One workgroup per detection,
// its threads share the edges out of it; detections of the first frame have no triplets before and are not listed.
//
// Twin: PairKernels.pushLeft in kernels.ts.

#import layout

override THREADS: u32 = 64;

struct Run {
  first: u32,   // of `lists`
  count: u32,
  share: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> lists: array<u32>;    // as gpu-lists.ts lays them out
@group(0) @binding(3) var<storage, read> detections: array<Detection>;
@group(0) @binding(4) var<storage, read> head: array<u32>;     // by link
@group(0) @binding(5) var<storage, read> reduced: array<f32>;
@group(0) @binding(6) var<storage, read> dual: array<f32>;
@group(0) @binding(7) var<storage, read_write> v: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) {
    let i = lists[run.first + n];
    let rowDual = dual[i];
    for (var e = detections[i].linkStart + thread; e < detections[i].linkEnd; e += THREADS) {
      let columnDual = dual[shape.lastStart + head[e] - shape.firstEnd];
      v[e] -= run.share * max(0.0, reduced[e] - rowDual - columnDual);
    }
    if (shape.hasBirths == 1 && thread == 0) {
      let death = detections[i].death;
      v[death] -= run.share * max(0.0, reduced[death] - rowDual);
    }
  }
}
