// Scheme tiled: run.iterations in one dispatch. A workgroup has a tile of COLUMNS X × ROWS Y pixels with a halo of as many pixels on every side; what the halo's
// outer pixels miss moves inwards by one pixel an iteration and never reaches the pixels that are kept. A thread has a block of COLUMNS × ROWS
// pixels in registers. Workgroup memory holds only what the blocks beside it read: u of its left column and upper row, p along x of its right
// column, p along y of its lower row. z is the pair.

#import state

override X: u32 = 32;
override Y: u32 = 8;
override COLUMNS: u32;
override ROWS: u32;

var<workgroup> leftU: array<Pair, ROWS * X * Y>;
var<workgroup> upperU: array<Pair, COLUMNS * X * Y>;
var<workgroup> rightP: array<Side, ROWS * X * Y>;
var<workgroup> lowerP: array<Side, COLUMNS * X * Y>;

struct Cell {
  u: Num2,
  dual: Dual,
  along: Slope,
  rest: Num,
  start: BaseSlopes,
}

// Which neighbours a column has beside it, or a row above and below, in the image and in the tile.
struct Has {
  before: bool,
  after: bool,
}

fn has(at: u32, size: u32, place: u32, places: u32) -> Has { return Has(place > 0 && at > 0, place + 1 < places && at + 1 < size); }

fn cellAt(x: u32, y: u32, plane: u32) -> Cell {
  var cell = Cell();
  if (x < run.width && y < run.height) {
    let i = (plane * run.height + y) * run.width + x;
    cell.u = ofPair(unknown[i]);
    cell.dual = dualIn[i];
    cell.along = slopeOf(ofPair(slope[i]));
    cell.rest = ofSingle(residual[i]);
    cell.start = baseSlopes(x, y, i);
  }
  return cell;
}

// The first half stencil, from p left of the pixel along x and above it along y.
fn stepped(cell: Cell, left: Num2, above: Num2) -> Num2 {
  let divergence = (dualAlongX(cell.dual) + dualAlongY(cell.dual)) - left - above;
  return ofPair(toPair(primal(cell.u, cell.along, cell.rest, divergence)));
}

fn other(value: Num2, isThere: bool) -> Num2 { return select(Num2(0.0), value, isThere); }

// The second, from u right of the pixel and below it.
fn turned(cell: Cell, right: Num2, hasRight: bool, below: Num2, hasBelow: bool) -> Dual {
  let alongX = other(rise(right, cell.u, cell.start.alongX), hasRight);
  let alongY = other(rise(below, cell.u, cell.start.alongY), hasBelow);
  return dual(cell.dual, alongX, alongY);
}

@compute @workgroup_size(X, Y)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
  let halo = run.iterations;
  // Of the block in the tile and in the image. Left of and above the image the coordinates wrap to beyond it.
  let column = COLUMNS * local.x;
  let row = ROWS * local.y;
  let x = group.x * (COLUMNS * X - 2 * halo) + column - halo;
  let y = group.y * (ROWS * Y - 2 * halo) + row - halo;
  // The block's places in the arrays: of its first row, and of its first column.
  let t = local.y * X + local.x;
  let l = ROWS * local.y * X + local.x;
#import block
}

fn keep(cell: Cell, column: u32, row: u32, x: u32, y: u32, plane: u32) {
  let halo = run.iterations;
  let kept = column >= halo && column < COLUMNS * X - halo && row >= halo && row < ROWS * Y - halo;
  if (!kept || x >= run.width || y >= run.height) { return; }
  let i = (plane * run.height + y) * run.width + x;
  unknownOut[i] = toPair(cell.u);
  dualOut[i] = cell.dual;
}
