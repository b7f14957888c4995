// Scheme tiled: run.iterations in one dispatch. A workgroup has a tile with a halo of as many pixels on every side, u and p of it in workgroup
// memory; what the halo's outer pixels miss moves inwards by one pixel an iteration and never reaches the pixels that are kept. A thread has a
// pixel, z is the pair.

#import state

override X: u32 = 32;
override Y: u32 = 8;

var<workgroup> tile: array<Pair, X * Y>;
var<workgroup> tile_dual: array<Dual, X * Y>;

@compute @workgroup_size(X, Y)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
  let halo = run.iterations;
  // Left of and above the image the coordinates wrap to beyond it.
  let x = group.x * (X - 2 * halo) + local.x - halo;
  let y = group.y * (Y - 2 * halo) + local.y - halo;
  let inside = x < run.width && y < run.height;
  let i = (group.z * run.height + y) * run.width + x;
  let l = local.y * X + local.x;
  var u = Num2(0.0);
  var own = Dual();
  var along = Slope();
  var rest = Num(0.0);
  var start = BaseSlopes();
  if (inside) {
    u = of_pair(unknown[i]);
    own = dual_in[i];
    along = slope_of(of_pair(slope[i]));
    rest = of_single(residual[i]);
    start = base_slopes(x, y, i);
  }
  let has_left = local.x > 0 && x > 0;
  let has_above = local.y > 0 && y > 0;
  let has_right = local.x < X - 1 && x + 1 < run.width;
  let has_below = local.y < Y - 1 && y + 1 < run.height;
  tile_dual[l] = own;
  workgroupBarrier();
  for (var k = 0u; k < run.iterations; k++) {
    var divergence = dual_along_x(own) + dual_along_y(own);
    if (has_left) { divergence -= dual_along_x(tile_dual[l - 1]); }
    if (has_above) { divergence -= dual_along_y(tile_dual[l - X]); }
    let stored = to_pair(primal(u, along, rest, divergence));
    u = of_pair(stored);
    tile[l] = stored;
    workgroupBarrier();
    var along_x = Num2(0.0);
    var along_y = Num2(0.0);
    if (has_right) { along_x = (of_pair(tile[l + 1]) - u) + start.along_x; }
    if (has_below) { along_y = (of_pair(tile[l + X]) - u) + start.along_y; }
    own = dual(own, along_x, along_y);
    tile_dual[l] = own;
    workgroupBarrier();
  }
  let kept = local.x >= halo && local.x < X - halo && local.y >= halo && local.y < Y - halo;
  if (inside && kept) {
    unknown_out[i] = to_pair(u);
    dual_out[i] = own;
  }
}
