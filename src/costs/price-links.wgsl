// Computes the pair cost C of every link, and the numbers m that it keeps, by a cost's formulas. One thread per edge, those of births and deaths idle.
//
// Twin: BoundCost.link of the cost. Displacements are good to f32 digits of themselves; positions, and what a formula
// makes of them other than x_j - x_i and y_j - y_i, to f32 digits of the coordinate.

// pairCost, writeNumbers and WIDTH: a text that gpu-pricing.ts makes of the formulas.
#import formulas
#import ../gpu/wgsl/arithmetic

override THREADS: u32 = 64;

// Cells of scene.cell units, offsets in units, and the displacement of a time step in units. Cells are scaled by a number of the scene
// and not by a constant, so that no compiler may add a cell to its offset first.
struct Detection {
  cellX: f32,
  cellY: f32,
  offsetX: f32,
  offsetY: f32,
  stepX: f32,
  stepY: f32,
}

struct Scene {
  middleX: f32,
  middleY: f32,
  unit: f32,
  timeStep: f32,
  cell: f32,
  edges: u32,
}

const NONE = 0xffffffffu;

struct Link {
  i: u32,
  j: u32,
  dx: f32,
  dy: f32,
  dt: f32,
  x_i: f32,
  y_i: f32,
  x_j: f32,
  y_j: f32,
  vx_i: f32,
  vy_i: f32,
  vx_j: f32,
  vy_j: f32,
}

@group(0) @binding(0) var<storage, read> detections: array<Detection>;
@group(0) @binding(1) var<storage, read> attributes: array<f32>;       // by attribute, then by detection
@group(0) @binding(2) var<storage, read> parameters: array<f32>;
@group(0) @binding(3) var<uniform> scene: Scene;
@group(0) @binding(4) var<storage, read> rule: array<vec4f>;           // of arc-length.ts: weight, chord, start, end of each node
@group(0) @binding(5) var<storage, read> tail: array<u32>;       // NONE for a birth
@group(0) @binding(6) var<storage, read> head: array<u32>;       // NONE for a death
@group(0) @binding(7) var<storage, read_write> cost: array<f32>;
@group(0) @binding(8) var<storage, read_write> perEdge: array<f32>;

fn attributeOf(k: u32, d: u32) -> f32 { return attributes[k * arrayLength(&detections) + d]; }

// Arc length of the clamped cubic.
fn arc(chordX: f32, chordY: f32, startX: f32, startY: f32, endX: f32, endY: f32) -> f32 {
  var length = 0.0;
  for (var q = 0u; q < arrayLength(&rule); q++) {
    let node = rule[q];
    let dx = node.y * chordX + node.z * startX + node.w * endX;
    let dy = node.y * chordY + node.z * startY + node.w * endY;
    length += node.x * sqrt(dx * dx + dy * dy);
  }
  return length;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  let unit = scene.unit;
  let cell = scene.cell;
  let dt = scene.timeStep;
  for (var e = thread.x; e < scene.edges; e += workgroups.x * THREADS) {
    let i = tail[e];
    let j = head[e];
    if (i == NONE || j == NONE) { continue; }
    let a = detections[i];
    let b = detections[j];
    var link: Link;
    link.i = i;
    link.j = j;
    link.dt = dt;
    link.dx = ((b.cellX - a.cellX) * cell + (b.offsetX - a.offsetX)) * unit;
    link.dy = ((b.cellY - a.cellY) * cell + (b.offsetY - a.offsetY)) * unit;
    link.x_i = scene.middleX + (a.cellX * cell + a.offsetX) * unit;
    link.y_i = scene.middleY + (a.cellY * cell + a.offsetY) * unit;
    link.x_j = scene.middleX + (b.cellX * cell + b.offsetX) * unit;
    link.y_j = scene.middleY + (b.cellY * cell + b.offsetY) * unit;
    link.vx_i = a.stepX * unit / dt;
    link.vy_i = a.stepY * unit / dt;
    link.vx_j = b.stepX * unit / dt;
    link.vy_j = b.stepY * unit / dt;
    cost[e] = pairCost(link);
    writeNumbers(link, e * WIDTH);
  }
}
