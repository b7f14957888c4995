// The two block Hungarian kernels share the batch as gpu-batch.ts lays it out, and the decisions that do not depend on where
// a kernel keeps its state. Costs and duals share the caller's unit. FORBIDDEN and above marks an absent entry, or
// the absent right to stay unassigned. It is compared, never added.

#import ../../gpu/wgsl/order

struct Lap {
  rows: u32,
  columns: u32,
  cost: u32,    // first vec4 of its rows, each ⌈columns / 4⌉ of them, FORBIDDEN beyond the last column
  row: u32,     // first of its rows in columnOfRow, limit and dual
  column: u32,  // first of its columns in limit and dual, behind all the rows
}

struct Outcome {
  status: u32,      // 0 optimal, 1 infeasible
  index: i32,       // the row that cannot be served, or −1 − column
  value: f32,       // Σ rowDual + Σ columnDual
  bidRounds: u32,   // rounds of the auction
  pathRounds: u32,  // rounds of paths
  steps: u32,       // columns scanned in them, the longest path of each round
}

struct Settings {
  first: u32, // of `laps`
  laps: u32,
  warm: u32,  // 1: start from the columns' duals and columnOfRow
  slack: f32, // a link is kept, and a path may end, where this much more than the least
}

override BID_ROUNDS: u32 = 3; // auction rounds, in units of free rows per team

const FORBIDDEN = 3e38f;
const TIGHT = 0x1p-21f;       // relative slack below which a warm entry is kept
const WARM_PASSES = 4u;

@group(0) @binding(0) var<storage, read> laps: array<Lap>;
@group(0) @binding(1) var<storage, read> cost: array<vec4f>;
@group(0) @binding(2) var<storage, read> limit: array<f32>;  // cost of staying unassigned: all rows, then all columns
@group(0) @binding(3) var<storage, read_write> dual: array<f32>;   // likewise
@group(0) @binding(4) var<storage, read_write> columnOfRow: array<i32>;
@group(0) @binding(5) var<storage, read_write> outcome: array<Outcome>;
@group(0) @binding(6) var<uniform> settings: Settings;

// vec4s of a row.
fn quads(lap: Lap) -> u32 { return (lap.columns + 3) / 4; }

fn costAt(lap: Lap, i: u32, j: u32) -> f32 { return cost[lap.cost + i * quads(lap) + j / 4][j % 4]; }

// Whether a warm start keeps a link of cost c to a column of dual vj, in a row whose least reduced cost is `best`.
fn isTight(c: f32, vj: f32, best: f32) -> bool {
  return c < FORBIDDEN && (c - vj) - best <= max(TIGHT * (abs(c) + abs(vj)), settings.slack);
}

// Whether a warm start must reset this dual to its limit: the dual of a column without a row is there, and no dual is above it.
fn isOffLimit(now: f32, most: f32, hasRow: bool) -> bool {
  return most < FORBIDDEN && now != most && (!hasRow || now > most);
}

// A search's distance to leaving a row unassigned, at its limit `stay`.
fn exitThrough(stay: f32, rowDual: f32, reached: f32) -> f32 { return max(stay - rowDual + reached, reached); }

// `row` and `column` could not be served; −1 for none.
fn outcomeOf(row: i32, column: i32, value: f32, bids: u32, rounds: u32, steps: u32) -> Outcome {
  let isFailed = row >= 0 || column >= 0;
  return Outcome(u32(isFailed), select(0, select(-1 - column, row, row >= 0), isFailed), value, bids, rounds, steps);
}
