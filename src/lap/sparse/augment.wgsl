// Assigns the free rows of a LAP along shortest augmenting paths, and then serves the columns that are left below their limits.
// One workgroup solves a LAP.
//
// A row may stay unassigned at ρ and a column at κ. Think of ρ as the cost of a column of the row's own, and of κ as the cost of a row of the
// column's own, which cost nothing between each other: then every node has a partner, and the optimum is that of
//   u_i + v_j ≤ c_ij, u_i ≤ ρ_i, v_j ≤ κ_j, equal on links, u_i = ρ_i and v_j = κ_j for nodes that are left (complementary slackness).
// Kept throughout: v_j ≤ κ_j, and links are tight. u_i = min(ρ_i, min_j c_ij − v_j) of a row that waits follows from them.
//   Forward, rows seek columns. Dijkstra over the row's arcs by c − v finds the nearest end: a free column, or a row of the tree that leaves its
//   column for ρ, the column of its own. With the distance D of the end, v falls by D − d on the columns scanned at d < D, and u of their rows
//   rises by it. No u passes ρ, since every row of the tree offered ρ as an end; the path's links are tight, and all rows are served in the end.
//   Free columns keep their v: those at κ are complementary. Where the last costs had them linked, they may lie below.
//   Mirror, columns seek rows: a free column with v < κ. The same search with the sides exchanged, over c − u: it ends at a row that is left
//   (u = ρ), or at a column of the tree that leaves its row for κ. v rises on the tree's columns and no higher than κ, and u falls on its rows,
//   which are linked, so that rows that are left keep u = ρ. No column becomes free below κ, and each search serves one.
// So all conditions hold at the end, and the solution is optimal up to the rounding of f32, and `slack`.
//
// Each thread searches for one node from the same duals. Searches whose trees, the scanned partners and the end, share no node
// commute: a tree only takes its partners' duals farther from where other searches would want them. Where trees meet, the lowest node goes
// first, and the others search again in the next round; so the lowest of all always wins, and the result does not depend on timing.
// A search that labels more than CAP partners waits until the short ones are done; then the whole workgroup does one such after the other.
//
// Twin: lab/lap/twin/sparse.ts.

#import short-search
#import long-search

// As in lap.wgsl of the block Hungarian kernels.
struct Outcome {
  status: u32,
  index: i32,
  value: f32,
  bidRounds: u32,   // 0
  pathRounds: u32,  // rounds of short searches
  steps: u32,       // nodes scanned by the long ones
}

@group(0) @binding(10) var<storage, read_write> outcome: array<Outcome>;

var<workgroup> sums: array<u32, THREADS>;
var<workgroup> total: u32;
var<workgroup> lost: atomic<u32>;   // ~ of the lowest node that cannot be served
var<workgroup> longs: atomic<u32>;  // searches that wait to be long
var<workgroup> waiting: u32;
var<workgroup> rounds: u32;
var<workgroup> values: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var n = settings.firstLap + workgroup.x; n < settings.firstLap + settings.laps; n += workgroups.x) {
    let lap = laps[n];
    if (thread == 0) {
      atomicStore(&lost, 0);
      rounds = 0;
      steps = 0;
      atomicStore(&longs, 0);
    }
    serve(ROWS, lap, thread);
    workgroupBarrier();
    if (thread == 0) { waiting = u32(atomicLoad(&lost) == 0); }
    if (settings.limited * workgroupUniformLoad(&waiting) == 1) { serve(COLUMNS, lap, thread); }
    finish(n, lap, thread);
  }
}

fn serve(side: u32, lap: Lap, thread: u32) {
  let first = select(lap.row, lap.column, side == COLUMNS);
  let nodes = select(lap.rows, lap.columns, side == COLUMNS);
  var count = gather(side, first, nodes, FREE, thread);
  while (count > 0) {
    var again = 0u;
    for (var at = 0u; at < count; at += THREADS) {
      if (thread == 0) { rounds++; }
      let isMine = at + thread < count;
      var node = 0u;
      if (isMine) { node = label(first + at + thread, LISTED); }
      let repeats = searchRound(side, node, isMine);
      let place = first + again + placeOf(u32(repeats), thread);
      if (repeats) { labels[4 * place + LISTED] = node; }
      again += workgroupUniformLoad(&total);
      storageBarrier();
    }
    count = again;
  }
  if (thread == 0) { waiting = atomicExchange(&longs, 0); }
  if (workgroupUniformLoad(&waiting) == 0) { return; }
  count = gather(side, first, nodes, LONG, thread);
  for (var n = 0u; n < count; n++) {
    let node = label(first + n, LISTED);
    let isServed = searchLong(side, node, select(lap.column, lap.row, side == COLUMNS), thread);
    if (!isServed && thread == 0) { lose(node); }
    storageBarrier();
  }
}

// Lists the nodes that wait for a search, in order, and returns their number. A thread has a stretch of them.
fn gather(side: u32, first: u32, nodes: u32, state: i32, thread: u32) -> u32 {
  storageBarrier();
  let each = (nodes + THREADS - 1) / THREADS;
  let begin = first + min(nodes, thread * each);
  let end = first + min(nodes, (thread + 1) * each);
  var own = 0u;
  for (var node = begin; node < end; node++) { own += u32(isWaiting(side, node, state)); }
  var place = first + placeOf(own, thread);
  for (var node = begin; node < end; node++) {
    if (!isWaiting(side, node, state)) { continue; }
    labels[4 * place + LISTED] = node;
    place++;
  }
  storageBarrier();
  return workgroupUniformLoad(&total);
}

fn isWaiting(side: u32, node: u32, state: i32) -> bool {
  return link[node] == state && (side == ROWS || state == LONG || dual[node] < limit[node]);
}

// The sum of the numbers of the threads before this one; that of all is left in `total`.
fn placeOf(number: u32, thread: u32) -> u32 {
  sums[thread] = number;
  workgroupBarrier();
  for (var step = 1u; step < THREADS; step *= 2) {
    let before = select(0u, sums[max(thread, step) - step], thread >= step);
    workgroupBarrier();
    sums[thread] += before;
    workgroupBarrier();
  }
  if (thread == THREADS - 1) { total = sums[thread]; }
  return sums[thread] - number;
}

// A search for each thread that has a node; whether it must be repeated.
fn searchRound(side: u32, node: u32, isMine: bool) -> bool {
  var found = 0;
  if (isMine) { found = searchShort(side, node); }
  let isPath = found == PATH;
  if (isPath) { claimTree(node); }
  storageBarrier();
  let wins = isPath && ownsTree(node);
  storageBarrier();
  if (isPath) { releaseTree(); }
  if (wins) { flipShort(side, node); }
  if (found == LONG) {
    link[node] = LONG;
    atomicAdd(&longs, 1);
  }
  if (found == LOST) { lose(node); }
  return isPath && !wins;
}

fn lose(node: u32) {
  link[node] = LOST;
  atomicMax(&lost, ~node);
}

// The answer: partners, duals of rows from their links, and the value.
fn finish(n: u32, lap: Lap, thread: u32) {
  var value = 0f;
  for (var row = lap.row + thread; row < lap.row + lap.rows; row += THREADS) {
    let k = link[row];
    if (k >= 0) {
      columnOfRow[row] = i32(arc[k] - lap.column);
      dual[row] = cost[k] - dual[arc[k]];
    } else {
      columnOfRow[row] = -1;
      if (k == LOST) { dual[row] = 0; }
    }
    value += dual[row];
  }
  for (var j = lap.column + thread; j < lap.column + lap.columns; j += THREADS) { value += dual[j]; }
  values[thread] = value;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if (thread < half) { values[thread] += values[thread + half]; }
  }
  if (thread == 0) {
    let node = ~atomicLoad(&lost);
    let index = select(i32(node - lap.row), -1 - i32(node - lap.column), node >= lap.column);
    outcome[n] = Outcome(u32(node != NONE), select(index, 0, node == NONE), values[0], 0, rounds, steps);
  }
  storageBarrier();
  workgroupBarrier();
}
