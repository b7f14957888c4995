// Joins the trees of neighbouring tiles: a thread has a pixel of a tile's upper row or left column, and looks at its neighbours beyond them.
// A workgroup has a tile: threads 0 … 15 its upper row, 16 … 31 its left column. Twin: hysteresis in canny.ts.

#import canny-labels

fn touch(place: u32, x: i32, y: i32) {
  if (x < 0 || y < 0 || x >= i32(run.width) || y >= i32(run.height)) { return; }
  let other = u32(y) * run.width + u32(x);
  if (atomicLoad(&parents[other]) != NONE) { join(place, other); }
}

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let isRow = thread < TILE;
  let k = thread % TILE;
  let x = workgroup.x * TILE + select(0, k, isRow);
  let y = workgroup.y * TILE + select(k, 0, isRow);
  if (x >= run.width || y >= run.height) { return; }
  let place = y * run.width + x;
  if (atomicLoad(&parents[place]) == NONE) { return; }
  // All neighbours: those of the same tile are joined already and cost a walk of one step.
  for (var d = -1; d <= 1; d++) {
    if (isRow) { touch(place, i32(x) + d, i32(y) - 1); } else { touch(place, i32(x) - 1, i32(y) + d); }
  }
}
