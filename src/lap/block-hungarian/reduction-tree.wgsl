// What the threads of a workgroup agree on, by trees through workgroup memory.

#import agreed

var<workgroup> agreed: array<Nearest, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  solveFrom(workgroup.x, workgroups.x, thread);
}

fn leastOf(own: Least, thread: u32) -> Least {
  agreed[thread] = placed(own);
  workgroupBarrier();
  for (var stride = THREADS / 2; stride > 0; stride /= 2) {
    if (thread < stride) { agreed[thread] = placed(lesser(taken(agreed[thread]), taken(agreed[thread + stride]))); }
    workgroupBarrier();
  }
  return taken(agreed[0]);
}

fn nearestOf(own: Nearest, thread: u32) -> Nearest {
  agreed[thread] = own;
  workgroupBarrier();
  for (var stride = THREADS / 2; stride > 0; stride /= 2) {
    if (thread < stride) { agreed[thread] = nearer(agreed[thread], agreed[thread + stride]); }
    workgroupBarrier();
  }
  return agreed[0];
}
