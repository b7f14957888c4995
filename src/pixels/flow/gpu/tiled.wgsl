// Scheme tiled: run.iterations in one dispatch. A workgroup has a tile of X × 2 Y pixels with a halo of as many pixels on every side, u and p of it in workgroup
// memory; what the halo's outer pixels miss moves inwards by one pixel an iteration and never reaches the pixels that are kept. A thread has two
// pixels, one above the other, so that half of its vertical neighbours are its own. z is the pair.

#import state

override X: u32 = 32;
override Y: u32 = 8;

var<workgroup> tile: array<Pair, 2 * X * Y>;
var<workgroup> tile_dual: array<Dual, 2 * X * Y>;

// A pixel, and which neighbours it has in the image and the tile.
struct Cell {
  u: Num2,
  dual: Dual,
  along: Slope,
  rest: Num,
  start: BaseSlopes,
  inside: bool,
  has_above: bool,
  has_below: bool,
}

fn cell_at(x: u32, y: u32, row: u32, plane: u32) -> Cell {
  var cell = Cell();
  cell.inside = x < run.width && y < run.height;
  cell.has_above = row > 0 && y > 0;
  cell.has_below = row < 2 * Y - 1 && y + 1 < run.height;
  if (cell.inside) {
    let i = (plane * run.height + y) * run.width + x;
    cell.u = of_pair(unknown[i]);
    cell.dual = dual_in[i];
    cell.along = slope_of(of_pair(slope[i]));
    cell.rest = of_single(residual[i]);
    cell.start = base_slopes(x, y, i);
  }
  return cell;
}

@compute @workgroup_size(X, Y)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
  let halo = run.iterations;
  let row = 2 * local.y;
  // Left of and above the image the coordinates wrap to beyond it.
  let x = group.x * (X - 2 * halo) + local.x - halo;
  let y = group.y * (2 * Y - 2 * halo) + row - halo;
  let has_left = local.x > 0 && x > 0;
  let has_right = local.x < X - 1 && x + 1 < run.width;
  var upper = cell_at(x, y, row, group.z);
  var lower = cell_at(x, y + 1, row + 1, group.z);
  let l = row * X + local.x;
  let m = l + X;
  tile_dual[l] = upper.dual;
  tile_dual[m] = lower.dual;
  workgroupBarrier();
  for (var k = 0u; k < run.iterations; k++) {
    var above = dual_along_x(upper.dual) + dual_along_y(upper.dual);
    var below = dual_along_x(lower.dual) + dual_along_y(lower.dual);
    if (has_left) {
      above -= dual_along_x(tile_dual[l - 1]);
      below -= dual_along_x(tile_dual[m - 1]);
    }
    if (upper.has_above) { above -= dual_along_y(tile_dual[l - X]); }
    if (lower.has_above) { below -= dual_along_y(upper.dual); }
    let stored = to_pair(primal(upper.u, upper.along, upper.rest, above));
    let stored_below = to_pair(primal(lower.u, lower.along, lower.rest, below));
    upper.u = of_pair(stored);
    lower.u = of_pair(stored_below);
    tile[l] = stored;
    tile[m] = stored_below;
    workgroupBarrier();
    var right = Num2(0.0);
    var right_below = Num2(0.0);
    var down = Num2(0.0);
    var down_below = Num2(0.0);
    if (has_right) {
      right = (of_pair(tile[l + 1]) - upper.u) + upper.start.along_x;
      right_below = (of_pair(tile[m + 1]) - lower.u) + lower.start.along_x;
    }
    if (upper.has_below) { down = (lower.u - upper.u) + upper.start.along_y; }
    if (lower.has_below) { down_below = (of_pair(tile[m + X]) - lower.u) + lower.start.along_y; }
    upper.dual = dual(upper.dual, right, down);
    lower.dual = dual(lower.dual, right_below, down_below);
    tile_dual[l] = upper.dual;
    tile_dual[m] = lower.dual;
    workgroupBarrier();
  }
  keep(upper, local.x, row, x, y, group.z);
  keep(lower, local.x, row + 1, x, y + 1, group.z);
}

fn keep(cell: Cell, column: u32, row: u32, x: u32, y: u32, plane: u32) {
  let halo = run.iterations;
  let kept = column >= halo && column < X - halo && row >= halo && row < 2 * Y - halo;
  if (!cell.inside || !kept) { return; }
  let i = (plane * run.height + y) * run.width + x;
  unknown_out[i] = to_pair(cell.u);
  dual_out[i] = cell.dual;
}
