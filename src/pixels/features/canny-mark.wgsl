// Strong roots of tiles make the roots of their trees strong. A thread has a pixel, a workgroup 256 of a row after the other.
// Twin: hysteresis in canny.ts.

#import canny-labels

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let place = (workgroup.y * workgroups.x + workgroup.x) * 256 + thread;
  if (place >= run.width * run.height || atomicLoad(&strong[place]) == 0) { return; }
  atomicStore(&strong[rootOf(place)], 1u);
}
