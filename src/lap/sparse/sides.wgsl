// The two sides of a search: rows seek columns, or columns seek rows. A seeker is a node of the side that seeks, a partner one of the other.

#import batch

@group(0) @binding(8) var<storage, read_write> claim: array<atomic<u32>>;  // by node; ~ of the lowest that claims it, 0 between the rounds
// Four words a node, as long-search.wgsl names them. A list of nodes of one side is at the places of that side.
@group(0) @binding(9) var<storage, read_write> labels: array<u32>;

override THREADS: u32 = 256;

const ROWS = 0u;
const COLUMNS = 1u;
const PATH = 1;

// The seeker that a linked partner is linked to.
fn holderOf(side: u32, partner: u32) -> u32 {
  if (side == ROWS) { return u32(link[partner]); }
  return arc[link[partner]];
}

fn partnerOf(side: u32, seeker: u32) -> u32 {
  if (side == COLUMNS) { return u32(link[seeker]); }
  return arc[link[seeker]];
}

// The arc of the row by which a seeker's arc leads to a partner. The partners of a row increase.
fn rowArc(side: u32, seeker: u32, k: u32, partner: u32) -> u32 {
  if (side == ROWS) { return k; }
  let arcs = spanOf(partner);
  var low = arcs.x;
  var high = arcs.y;
  while (low + 1 < high) {
    let middle = (low + high) / 2;
    if (arc[middle] <= seeker) { low = middle; } else { high = middle; }
  }
  return low;
}

// What a search that reached a linked partner adds to the costs of its seeker's arcs.
fn offsetBeyond(side: u32, partner: u32, holder: u32, reached: f32) -> f32 {
  let k = link[select(partner, holder, side == ROWS)];
  return reached - (cost[k] - dual[partner]);
}

fn connect(side: u32, seeker: u32, partner: u32, k: u32) {
  if (side == ROWS) {
    link[seeker] = i32(k);
    link[partner] = i32(seeker);
  } else {
    link[seeker] = i32(partner);
    link[partner] = i32(k);
  }
}

// The seeker stays unassigned.
fn leave(side: u32, seeker: u32) {
  link[seeker] = select(FREE, LEFT, side == ROWS);
  dual[seeker] = limit[seeker];
}
