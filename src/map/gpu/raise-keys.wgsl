// Runs before raise-stored.wgsl and resets the keys of the edges that leave each listed detection; runs after it and sets v_f to the value of
// the key. One workgroup per detection.

#import layout
#import ../../gpu/wgsl/order

override THREADS: u32 = 64;

struct Run {
  first: u32,   // of `lists`
  count: u32,
  read: u32,    // 0 resets the keys, 1 sets v to their values
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> lists: array<u32>;     // as gpu-lists.ts lays them out
@group(0) @binding(3) var<storage, read> detections: array<Detection>;
@group(0) @binding(4) var<storage, read_write> key: array<u32>;
@group(0) @binding(5) var<storage, read_write> v: array<f32>;

fn visit(f: u32) {
  if (run.read == 0) {
    key[f] = 0xffffffffu;
    return;
  }
  v[f] = valueOf(key[f]);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = workgroup.x; n < run.count; n += workgroups.x) {
    let i = lists[run.first + n];
    for (var f = detections[i].linkStart + thread; f < detections[i].linkEnd; f += THREADS) { visit(f); }
    if (shape.hasBirths == 1 && thread == 0) { visit(detections[i].death); }
  }
}
