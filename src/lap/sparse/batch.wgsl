// The kernels of sparse LAPs share the batch as gpu-sparse.ts lays it out. A node is a row or a column: those of all LAPs are numbered
// through, the rows first. Costs and duals share the caller's unit. FORBIDDEN and above marks the absent right to stay
// unassigned; it is compared, never added.

struct Lap {
  rows: u32,
  columns: u32,
  row: u32,     // node of its first row
  column: u32,  // and of its first column
}

struct Settings {
  firstLap: u32,    // of `laps`
  laps: u32,
  firstChunk: u32,  // of `chunks`
  chunks: u32,
  warm: u32,      // 1: start from the columns' duals and columnOfRow
  limited: u32,   // 1: some rows or columns may stay unassigned
  slack: f32,     // a warm start keeps a link that costs this much more than the least
  spans: u32,     // where in `arc` the spans begin
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> laps: array<Lap>;
@group(0) @binding(2) var<storage, read> arc: array<u32>;     // the node at the other end; the arcs of rows are numbered as `cost` is; then the spans
@group(0) @binding(3) var<storage, read> cost: array<f32>;
@group(0) @binding(4) var<storage, read> limit: array<f32>;   // by node: the cost of staying unassigned
@group(0) @binding(5) var<storage, read_write> dual: array<f32>;         // by node
@group(0) @binding(6) var<storage, read_write> link: array<i32>;         // by row: the arc that it is linked by; by column: its row; else one of these:
@group(0) @binding(7) var<storage, read_write> columnOfRow: array<i32>;  // counted within the LAP

const FREE = -1;  // no search has served it yet
const LEFT = -2;  // a row that stays unassigned
const LONG = -3;  // waits for a long search
const LOST = -4;  // nothing can serve it

const NONE = 0xffffffffu;
const FORBIDDEN = 3e38f;
const TIGHT = 0x1p-21f;  // relative slack below which a warm link is kept

// Where the arcs of a node begin and end.
fn spanOf(node: u32) -> vec2u { return vec2u(arc[settings.spans + 2 * node], arc[settings.spans + 2 * node + 1]); }
