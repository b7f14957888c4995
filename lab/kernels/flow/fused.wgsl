// Scheme fused (Shared_fusion of Romera et al. 2023): one iteration. The tile's new u stays in workgroup memory for the second half stencil;
// threads of the last column and row of a tile compute u for their neighbours and keep nothing. Tiles overlap by that one pixel. z is the pair.

#import ../../../dist/pixels/flow/gpu/state

override X: u32 = 32;
override Y: u32 = 8;

var<workgroup> tile: array<Pair, X * Y>;

@compute @workgroup_size(X, Y)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
  let x = group.x * (X - 1) + local.x;
  let y = group.y * (Y - 1) + local.y;
  let inside = x < run.width && y < run.height;
  let i = (group.z * run.height + y) * run.width + x;
  let l = local.y * X + local.x;
  var own = Dual();
  if (inside) {
    own = dual_in[i];
    var divergence = dual_along_x(own) + dual_along_y(own);
    if (x > 0) { divergence -= dual_along_x(dual_in[i - 1]); }
    if (y > 0) { divergence -= dual_along_y(dual_in[i - run.width]); }
    tile[l] = to_pair(primal(of_pair(unknown[i]), slope_of(of_pair(slope[i])), of_single(residual[i]), divergence));
  }
  workgroupBarrier();
  if (!inside || local.x == X - 1 || local.y == Y - 1) { return; }
  let start = base_slopes(x, y, i);
  let here = of_pair(tile[l]);
  var along_x = Num2(0.0);
  var along_y = Num2(0.0);
  if (x + 1 < run.width) { along_x = (of_pair(tile[l + 1]) - here) + start.along_x; }
  if (y + 1 < run.height) { along_y = (of_pair(tile[l + X]) - here) + start.along_y; }
  unknown_out[i] = tile[l];
  dual_out[i] = dual(own, along_x, along_y);
}
