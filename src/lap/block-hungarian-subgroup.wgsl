// Solves linear assignment problems, one workgroup each from start to end; the subgroup path, for up to 32·SUBGROUP columns.
//
// A subgroup is a team. In phase 1 every team takes a free row and bids for its best column (auction rounds without ε; the
// larger raise wins). In phase 2 every team grows the shortest augmenting path of its own free row, against the same
// potentials and without barriers; the lowered column duals of all teams are combined by their minimum, after which all the
// paths are tight, and those that share no column are flipped together (after E. Balas, D. Miller, J. Pekny, P. Toth,
// "A parallel shortest augmenting path algorithm for the assignment problem", J. ACM 38 (1991) 985–1004).
// Lane l of a team owns columns l, l + SUBGROUP, l + 2·SUBGROUP, … of a row.
//
// Costs and duals share the caller's unit. FORBIDDEN and above marks what is absent: an entry, or the right to stay
// unassigned. It is compared, never added. src/lap/block-hungarian.ts is the twin.

enable subgroups;
diagnostic(off, subgroup_uniformity);

struct Lap {
  rows: u32,
  columns: u32,
  cost: u32,    // first of rows × columns entries, row-major
  row: u32,     // first of its rows in columnOfRow, limit and dual
  column: u32,  // first of its columns in limit and dual, behind all the rows
}

struct Outcome {
  status: u32,  // 0 optimal, 1 infeasible
  index: i32,   // the row that cannot be served, or −1 − column
  value: f32,   // Σ rowDual + Σ columnDual
  bids: u32,    // auction rounds
  rounds: u32,  // rounds of paths
  steps: u32,   // columns scanned in them, the longest path of each round
}

struct Settings {
  laps: u32,
  warm: u32,  // 1: start from the columns' duals and columnOfRow
}

override SUBGROUP: u32 = 32;
override TEAMS: u32 = 8;
override SLOTS: u32 = 32;     // columns per lane
override ROWS: u32 = 256;     // most rows of a LAP
override COLUMNS: u32 = 1024; // SLOTS × SUBGROUP
override BID_ROUNDS: u32 = 3; // auction rounds, in units of free rows per team

const MAX_SLOTS = 32u;
const FORBIDDEN = 3e38f;
const NONE = -1;
const TIGHT = 0x1p-21f;       // relative slack below which a warm entry is kept
const WARM_PASSES = 4u;

@group(0) @binding(0) var<storage, read> laps: array<Lap>;
@group(0) @binding(1) var<storage, read> cost: array<f32>;
@group(0) @binding(2) var<storage, read> limit: array<f32>;  // cost of staying unassigned: all rows, then all columns
@group(0) @binding(3) var<storage, read_write> dual: array<f32>;   // likewise
@group(0) @binding(4) var<storage, read_write> columnOfRow: array<i32>;
@group(0) @binding(5) var<storage, read_write> outcome: array<Outcome>;
@group(0) @binding(6) var<uniform> settings: Settings;

var<workgroup> v: array<f32, COLUMNS>;
var<workgroup> u: array<f32, ROWS>;
var<workgroup> rowOf: array<i32, COLUMNS>;
var<workgroup> columnOf: array<i32, ROWS>;
var<workgroup> drop: array<atomic<u32>, COLUMNS>;   // bits of the amount v falls by; key of the column minimum at first
var<workgroup> claim: array<atomic<u32>, COLUMNS>;  // TEAMS − team of the path that may use the column
var<workgroup> predecessor: array<u32, TEAMS * COLUMNS>;
var<workgroup> ring: array<u32, ROWS>;              // free rows
var<workgroup> freeRows: u32;
var<workgroup> failure: atomic<u32>;                // 1 + a row that cannot be served, or 0
var<workgroup> stale: atomic<u32>;
var<workgroup> longest: atomic<u32>;                // steps of the longest search of this round
var<workgroup> chain: u32;                          // its sum over the rounds
var<workgroup> bidColumn: array<i32, TEAMS>;
var<workgroup> bidRaise: array<f32, TEAMS>;
var<workgroup> bidCost: array<f32, TEAMS>;
var<workgroup> returned: array<i32, TEAMS>;         // row that goes back to the ring, or NONE

// Order of f32 as order of u32.
fn keyOf(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0);
}

fn valueOf(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key & 0x80000000u) != 0));
}

// The first lane of a non-empty set at or after `turn`, cyclically: ties fall on different columns for different rows.
fn pick(lanes: u32, turn: u32) -> u32 {
  let after = lanes & (0xffffffffu << turn);
  return firstTrailingBit(select(lanes, after, after != 0));
}

// The lane's entries of a row, all requested before the first is used; FORBIDDEN beyond the last column.
fn loadRow(lap: Lap, i: u32, lane: u32, row: ptr<function, array<f32, MAX_SLOTS>>) {
  let base = lap.cost + i * lap.columns;
  for (var s = 0u; s < SLOTS; s++) {
    let j = s * SUBGROUP + lane;
    let c = cost[base + min(j, lap.columns - 1)];
    (*row)[s] = select(FORBIDDEN, c, j < lap.columns);
  }
}

@compute @workgroup_size(SUBGROUP * TEAMS)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
  @builtin(subgroup_id) team: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  for (var index = workgroup.x; index < settings.laps; index += workgroups.x) {
    solve(index, thread, team, lane);
    workgroupBarrier();
  }
}

fn solve(index: u32, thread: u32, team: u32, lane: u32) {
  let lap = laps[index];
  var warm = settings.warm == 1;
  var free = 0u;
  if (thread == 0) {
    atomicStore(&failure, 0);
    atomicStore(&longest, 0);
    chain = 0;
  }
  if (warm) {
    free = resume(lap, thread, team, lane);
    warm = free <= lap.rows;
  }
  if (!warm) { free = start(lap, thread, team, lane); }

  var head = 0u;
  var bids = 0u;
  let budget = BID_ROUNDS * ((free + TEAMS - 1) / TEAMS);
  while (free > 0 && bids < budget) {
    let taken = min(free, TEAMS);
    bid(lap, head, taken, team, lane);
    workgroupBarrier();
    award(lap, head, taken, team, lane);
    workgroupBarrier();
    head = (head + taken) % lap.rows;
    free = giveBack(lap, head, free - taken, thread);
    bids++;
  }

  var rounds = 0u;
  while (free > 0) {
    let taken = min(free, TEAMS);
    var end = NONE;
    var exit = NONE;
    if (team < taken) {
      let path = search(lap, ring[(head + team) % lap.rows], team, lane);
      end = path.x;
      exit = path.y;
    }
    workgroupBarrier();
    let leads = lane == 0 && team < taken && atomicLoad(&failure) == 0;
    let root = ring[(head + min(team, taken - 1)) % lap.rows];
    if (leads) { claimPath(end, exit, team); }
    workgroupBarrier();
    var won = false;
    if (leads) { won = ownsPath(end, exit, team); }
    workgroupBarrier();
    if (won) { flipPath(lap, end, exit, team); }
    if (lane == 0) { returned[team] = select(i32(root), NONE, won || team >= taken); }
    workgroupBarrier();
    lowerDuals(lap, thread);
    head = (head + taken) % lap.rows;
    free = giveBack(lap, head, free - taken, thread);
    rounds++;
  }
  finish(index, lap, bids, rounds, thread, team, lane);
}

// Cold start: duals at the limits, or at the column minima where a column must be assigned; all rows are free.
fn start(lap: Lap, thread: u32, team: u32, lane: u32) -> u32 {
  for (var j = thread; j < lap.columns; j += SUBGROUP * TEAMS) {
    rowOf[j] = NONE;
    atomicStore(&claim[j], 0);
    atomicStore(&drop[j], 0xffffffffu);
  }
  for (var i = thread; i < lap.rows; i += SUBGROUP * TEAMS) {
    columnOf[i] = NONE;
    ring[i] = i;
  }
  workgroupBarrier();
  var least: array<f32, MAX_SLOTS>;
  for (var s = 0u; s < SLOTS; s++) { least[s] = FORBIDDEN; }
  var row: array<f32, MAX_SLOTS>;
  for (var i = team; i < lap.rows; i += TEAMS) {
    loadRow(lap, i, lane, &row);
    for (var s = 0u; s < SLOTS; s++) { least[s] = min(least[s], row[s]); }
  }
  for (var s = 0u; s < SLOTS; s++) {
    let j = s * SUBGROUP + lane;
    if (j < lap.columns) { atomicMin(&drop[j], keyOf(least[s])); }
  }
  workgroupBarrier();
  for (var j = thread; j < lap.columns; j += SUBGROUP * TEAMS) {
    let most = limit[lap.column + j];
    let lowest = valueOf(atomicExchange(&drop[j], 0));
    v[j] = select(select(lowest, 0, lowest >= FORBIDDEN), most, most < FORBIDDEN);
  }
  workgroupBarrier();
  return lap.rows;
}

// Warm start: keeps the links that are still tight, collects the rows that lost theirs; lap.rows + 1 if a cold start is due.
fn resume(lap: Lap, thread: u32, team: u32, lane: u32) -> u32 {
  let threads = SUBGROUP * TEAMS;
  for (var j = thread; j < lap.columns; j += threads) {
    v[j] = dual[lap.column + j];
    rowOf[j] = NONE;
    atomicStore(&claim[j], 0);
    atomicStore(&drop[j], 0);
  }
  workgroupBarrier();
  for (var i = thread; i < lap.rows; i += threads) {
    let j = columnOfRow[lap.row + i];
    columnOf[i] = select(NONE, j, j < i32(lap.columns));
    if (columnOf[i] >= 0) { rowOf[j] = i32(i); }
  }
  workgroupBarrier();
  for (var i = thread; i < lap.rows; i += threads) {
    if (columnOf[i] >= 0 && rowOf[columnOf[i]] != i32(i)) { columnOf[i] = NONE; }
  }
  var round = 0u;
  loop {
    if (thread == 0) { atomicStore(&stale, 0); }
    workgroupBarrier();
    // A column without a row stands at its limit, and none above it.
    for (var j = thread; j < lap.columns; j += threads) {
      let most = limit[lap.column + j];
      if (most < FORBIDDEN && v[j] != most && (rowOf[j] == NONE || v[j] > most)) {
        v[j] = most;
        atomicStore(&stale, 1);
      }
    }
    if (!isStale(thread) && round > 0) { break; }
    if (round == WARM_PASSES) { return lap.rows + 1; }
    for (var i = team; i < lap.rows; i += TEAMS) { keepIfTight(lap, i, lane); }
    workgroupBarrier();
    round++;
  }
  // The free rows, in order: those not linked that may not stay so at their dual.
  if (team == 0) {
    var found = 0u;
    for (var first = 0u; first < lap.rows; first += SUBGROUP) {
      let i = first + lane;
      var isFree = false;
      if (i < lap.rows) { isFree = columnOf[i] == NONE && u[i] >= FORBIDDEN; }
      let place = found + subgroupExclusiveAdd(select(0u, 1u, isFree));
      if (isFree) { ring[place] = i; }
      found += countOneBits(subgroupBallot(isFree).x);
    }
    if (lane == 0) { freeRows = found; }
  }
  return workgroupUniformLoad(&freeRows);
}

fn isStale(thread: u32) -> bool {
  workgroupBarrier();
  if (thread == 0) { freeRows = atomicLoad(&stale); }
  return workgroupUniformLoad(&freeRows) != 0;
}

// Sets the dual of a row that keeps its link or its exit, and FORBIDDEN as the dual of one that is free.
fn keepIfTight(lap: Lap, i: u32, lane: u32) {
  var least = FORBIDDEN;
  var row: array<f32, MAX_SLOTS>;
  loadRow(lap, i, lane, &row);
  for (var s = 0u; s < SLOTS; s++) {
    if (row[s] < FORBIDDEN) { least = min(least, row[s] - v[s * SUBGROUP + lane]); }
  }
  let most = limit[lap.row + i];
  let best = min(valueOf(subgroupMin(keyOf(least))), most);
  if (lane != 0) { return; }
  let j = columnOf[i];
  var kept = FORBIDDEN;
  if (j == NONE) {
    if (most < FORBIDDEN && most <= best) { kept = most; }
  } else {
    let c = cost[lap.cost + i * lap.columns + u32(j)];
    if (c < FORBIDDEN && (c - v[j]) - best <= TIGHT * (abs(c) + abs(v[j]))) {
      kept = c - v[j];
    } else {
      columnOf[i] = NONE;
      rowOf[j] = NONE;
    }
  }
  u[i] = kept;
}

// Phase 1: the team's row finds its best column and how much more than the second best it may pay.
fn bid(lap: Lap, head: u32, taken: u32, team: u32, lane: u32) {
  if (team >= taken) { return; }
  let i = ring[(head + team) % lap.rows];
  var first = FORBIDDEN;
  var second = FORBIDDEN;
  var paid = FORBIDDEN;
  var column = 0u;
  var isFree = false;
  var row: array<f32, MAX_SLOTS>;
  loadRow(lap, i, lane, &row);
  for (var s = 0u; s < SLOTS; s++) {
    if (row[s] < FORBIDDEN) {
      let j = s * SUBGROUP + lane;
      let x = row[s] - v[j];
      let open = rowOf[j] == NONE;
      if (x < first || (x == first && open && !isFree)) {
        second = first;
        first = x;
        paid = row[s];
        column = j;
        isFree = open;
      } else {
        second = min(second, x);
      }
    }
  }
  let key = keyOf(first);
  let least = subgroupMin(key);
  let tied = subgroupBallot(key == least).x;
  let tiedFree = subgroupBallot(key == least && isFree).x;
  let chosen = pick(select(tied, tiedFree, tiedFree != 0), i % SUBGROUP);
  let runnerUp = valueOf(subgroupMin(keyOf(select(first, second, lane == chosen))));
  if (lane != chosen) { return; }
  let most = limit[lap.row + i];
  let raise = min(runnerUp, most) - first;
  if (most <= first && most < FORBIDDEN) {
    bidColumn[team] = -2;  // stays unassigned, for good: columns only get dearer
  } else if (first >= FORBIDDEN || min(runnerUp, most) >= FORBIDDEN || (raise == 0 && !isFree)) {
    bidColumn[team] = NONE;
  } else {
    bidColumn[team] = i32(column);
    bidRaise[team] = raise;
    bidCost[team] = paid;
  }
}

// The largest raise for a column gets it; the row that had it, and the rows that lost, go back to the ring.
fn award(lap: Lap, head: u32, taken: u32, team: u32, lane: u32) {
  if (lane != 0) { return; }
  returned[team] = NONE;
  if (team >= taken) { return; }
  let i = ring[(head + team) % lap.rows];
  let j = bidColumn[team];
  if (j == -2) {
    u[i] = limit[lap.row + i];
    return;
  }
  var wins = j >= 0;
  for (var other = 0u; other < taken; other++) {
    let better = bidRaise[other] > bidRaise[team] || (bidRaise[other] == bidRaise[team] && other < team);
    wins = wins && !(bidColumn[other] == j && better);
  }
  returned[team] = i32(i);
  if (!wins) { return; }
  let ousted = rowOf[j];
  returned[team] = ousted;
  if (ousted != NONE) { columnOf[ousted] = NONE; }
  rowOf[j] = i32(i);
  columnOf[i] = j;
  v[j] -= bidRaise[team];
  u[i] = bidCost[team] - v[j];
}

// Appends the returned rows to the ring in team order; the number of free rows, for every thread.
fn giveBack(lap: Lap, head: u32, waiting: u32, thread: u32) -> u32 {
  var place = waiting;
  for (var team = 0u; team < TEAMS; team++) {
    let row = returned[team];
    if (row != NONE) {
      if (thread == 0) { ring[(head + place) % lap.rows] = u32(row); }
      place++;
    }
  }
  if (thread == 0) {
    freeRows = select(place, 0, atomicLoad(&failure) != 0);
    chain += atomicExchange(&longest, 0);
  }
  return workgroupUniformLoad(&freeRows);
}

// Phase 2: shortest path from a free row to a free column (x) or to a row that may stay unassigned (y); leaves the amounts
// the duals of its scanned columns must fall by in `drop`.
fn search(lap: Lap, root: u32, team: u32, lane: u32) -> vec2i {
  let trail = team * COLUMNS;
  var distance: array<f32, MAX_SLOTS>;
  var scanned = 0u;
  var open = 0u;  // slots whose column is free
  var least = FORBIDDEN;
  var row: array<f32, MAX_SLOTS>;
  loadRow(lap, root, lane, &row);
  for (var s = 0u; s < SLOTS; s++) {
    let j = s * SUBGROUP + lane;
    distance[s] = FORBIDDEN;
    if (row[s] < FORBIDDEN) { distance[s] = row[s] - v[j]; }
    if (rowOf[j] == NONE) { open |= 1u << s; }
    predecessor[trail + j] = root;
    least = min(least, distance[s]);
  }
  let most = limit[lap.row + root];
  let rootDual = min(valueOf(subgroupMin(keyOf(least))), most);
  for (var s = 0u; s < SLOTS; s++) {
    if (distance[s] < FORBIDDEN) { distance[s] -= rootDual; }
  }
  var exitAt = FORBIDDEN;
  var exitRow = i32(root);
  if (most < FORBIDDEN) { exitAt = most - rootDual; }

  var steps = 0u;
  var end = NONE;
  var reached = 0f;
  loop {
    steps++;
    var nearest = FORBIDDEN;
    var slot = 0u;
    for (var s = 0u; s < SLOTS; s++) {
      let bit = 1u << s;
      if ((scanned & bit) == 0) {
        let d = distance[s];
        if (d < nearest || (d == nearest && d < FORBIDDEN && (open & bit) != 0 && (open & (1u << slot)) == 0)) {
          nearest = d;
          slot = s;
        }
      }
    }
    let key = bitcast<u32>(nearest);
    let minimum = subgroupMin(key);
    let tied = subgroupBallot(key == minimum).x;
    let tiedFree = subgroupBallot(key == minimum && (open & (1u << slot)) != 0).x;
    reached = bitcast<f32>(minimum);
    if (min(exitAt, reached) >= FORBIDDEN) {
      if (lane == 0) { atomicMax(&failure, root + 1); }
      return vec2i(NONE, NONE);
    }
    if (exitAt <= reached) {
      reached = exitAt;
      break;
    }
    let chosen = pick(select(tied, tiedFree, tiedFree != 0), root % SUBGROUP);
    let j = subgroupShuffle(slot, chosen) * SUBGROUP + chosen;
    if (tiedFree != 0) {
      end = i32(j);
      exitRow = NONE;
      break;
    }
    if (lane == chosen) { scanned |= 1u << slot; }
    let i = u32(rowOf[j]);
    loadRow(lap, i, lane, &row);
    let rowDual = u[i];
    for (var s = 0u; s < SLOTS; s++) {
      let k = s * SUBGROUP + lane;
      let d = max((row[s] - v[k]) - rowDual + reached, reached);
      if (row[s] < FORBIDDEN && (scanned & (1u << s)) == 0 && d < distance[s]) {
        distance[s] = d;
        predecessor[trail + k] = i;
      }
    }
    let stay = limit[lap.row + i];
    if (stay < FORBIDDEN) {
      let d = max(stay - rowDual + reached, reached);
      if (d < exitAt) {
        exitAt = d;
        exitRow = i32(i);
      }
    }
  }
  for (var s = 0u; s < SLOTS; s++) {
    if ((scanned & (1u << s)) != 0) {
      atomicMax(&drop[s * SUBGROUP + lane], bitcast<u32>(reached - distance[s]));
    }
  }
  if (lane == 0) { atomicMax(&longest, steps); }
  return vec2i(end, exitRow);
}

// The last column of a path: its free column, or the column its exiting row gives up (NONE if that row is the root).
fn lastColumn(end: i32, exit: i32) -> i32 {
  if (end != NONE || exit == NONE) { return end; }
  return columnOf[exit];
}

fn claimPath(end: i32, exit: i32, team: u32) {
  var j = lastColumn(end, exit);
  while (j != NONE) {
    atomicMax(&claim[j], TEAMS - team);
    j = columnOf[predecessor[team * COLUMNS + u32(j)]];
  }
}

fn ownsPath(end: i32, exit: i32, team: u32) -> bool {
  var j = lastColumn(end, exit);
  while (j != NONE) {
    if (atomicLoad(&claim[j]) != TEAMS - team) { return false; }
    j = columnOf[predecessor[team * COLUMNS + u32(j)]];
  }
  return true;
}

fn flipPath(lap: Lap, end: i32, exit: i32, team: u32) {
  var j = lastColumn(end, exit);
  if (end == NONE) {
    columnOf[exit] = NONE;
    u[exit] = limit[lap.row + u32(exit)];
  }
  while (j != NONE) {
    let i = predecessor[team * COLUMNS + u32(j)];
    let next = columnOf[i];
    columnOf[i] = j;
    rowOf[j] = i32(i);
    j = next;
  }
}

// v falls by the largest amount any team asked for; the rows' duals follow from their links.
fn lowerDuals(lap: Lap, thread: u32) {
  for (var j = thread; j < lap.columns; j += SUBGROUP * TEAMS) {
    atomicStore(&claim[j], 0);
    let lowered = v[j] - bitcast<f32>(atomicExchange(&drop[j], 0));
    v[j] = lowered;
    let i = rowOf[j];
    if (i != NONE) { u[i] = cost[lap.cost + u32(i) * lap.columns + j] - lowered; }
  }
}

fn finish(index: u32, lap: Lap, bids: u32, rounds: u32, thread: u32, team: u32, lane: u32) {
  if (thread == 0) { atomicStore(&stale, 0); }
  workgroupBarrier();
  for (var j = thread; j < lap.columns; j += SUBGROUP * TEAMS) {
    dual[lap.column + j] = v[j];
    if (rowOf[j] == NONE && limit[lap.column + j] >= FORBIDDEN) { atomicMax(&stale, j + 1); }
  }
  for (var i = thread; i < lap.rows; i += SUBGROUP * TEAMS) {
    columnOfRow[lap.row + i] = columnOf[i];
    dual[lap.row + i] = u[i];
  }
  workgroupBarrier();
  if (team > 0) { return; }
  var value = 0f;
  for (var j = lane; j < lap.columns; j += SUBGROUP) { value += v[j]; }
  for (var i = lane; i < lap.rows; i += SUBGROUP) { value += u[i]; }
  value = subgroupAdd(value);
  let row = i32(atomicLoad(&failure)) - 1;
  let column = i32(atomicLoad(&stale)) - 1;
  if (lane == 0) {
    let isFailed = row >= 0 || column >= 0;
    let culprit = select(-1 - column, row, row >= 0);
    outcome[index] = Outcome(u32(isFailed), select(0, culprit, isFailed), value, bids, rounds, chain);
  }
}
