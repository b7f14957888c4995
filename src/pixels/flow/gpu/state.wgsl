// Buffers of the schemes that read one state and write another, and the values that a pixel keeps over the iterations of a dispatch.

#import half-stencils

@group(0) @binding(2) var<storage, read> unknown: array<Pair>;
@group(0) @binding(3) var<storage, read> dualIn: array<Dual>;
@group(0) @binding(4) var<storage, read> slope: array<Pair>;
@group(0) @binding(5) var<storage, read> residual: array<Single>;
@group(0) @binding(6) var<storage, read_write> unknownOut: array<Pair>;
@group(0) @binding(7) var<storage, read_write> dualOut: array<Dual>;

// Slopes of u⁰ along x and y: 0 in the last column or row.
struct BaseSlopes {
  alongX: Num2,
  alongY: Num2,
}

fn baseSlopes(x: u32, y: u32, i: u32) -> BaseSlopes {
  let own = baseAt(i);
  var slopes = BaseSlopes();
  if (x + 1 < run.width) { slopes.alongX = baseAt(i + 1) - own; }
  if (y + 1 < run.height) { slopes.alongY = baseAt(i + run.width) - own; }
  return slopes;
}
