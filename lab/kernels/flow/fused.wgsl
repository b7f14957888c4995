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
    own = dualIn[i];
    var divergence = dualAlongX(own) + dualAlongY(own);
    if (x > 0) { divergence -= dualAlongX(dualIn[i - 1]); }
    if (y > 0) { divergence -= dualAlongY(dualIn[i - run.width]); }
    tile[l] = toPair(primal(ofPair(unknown[i]), slopeOf(ofPair(slope[i])), ofSingle(residual[i]), divergence));
  }
  workgroupBarrier();
  if (!inside || local.x == X - 1 || local.y == Y - 1) { return; }
  let start = baseSlopes(x, y, i);
  let here = ofPair(tile[l]);
  var alongX = Num2(0.0);
  var alongY = Num2(0.0);
  if (x + 1 < run.width) { alongX = (ofPair(tile[l + 1]) - here) + start.alongX; }
  if (y + 1 < run.height) { alongY = (ofPair(tile[l + X]) - here) + start.alongY; }
  unknownOut[i] = tile[l];
  dualOut[i] = dual(own, alongX, alongY);
}
