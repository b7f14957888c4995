// Solves linear assignment problems, one workgroup each from start to end; the subgroup path, for up to 32 columns a lane.
//
// A subgroup is a team. In phase 1 every team takes a free row and bids for its best column (auction rounds without ε; the
// larger raise wins). In phase 2 every team grows the shortest augmenting path of its own free row, against the same
// potentials and without barriers; the lowered column duals of all teams are combined by their minimum, after which all the
// paths are tight, and those that share no column are flipped together (after E. Balas, D. Miller, J. Pekny, P. Toth,
// "A parallel shortest augmenting path algorithm for the assignment problem", J. ACM 38 (1991) 985–1004).
// A lane owns four neighbouring columns of every 4·SUBGROUP: slot 4k + c of lane l is column 4(k·SUBGROUP + l) + c. Lanes hold
// a search's distances in registers, so their loops are unrolled: indexed at run time, drivers keep such arrays in
// memory and wait for every load in turn (16 instead of 2 ms at 300 × 300 × 300 on an H100).
//
// Twin: lab/lap/twin/block-hungarian.ts.

enable subgroups;
diagnostic(off, subgroup_uniformity);

#import lap

override SUBGROUP: u32 = 32;
override TEAMS: u32 = 8;
override CHUNKS: u32 = 8;     // of four columns per lane
override ROWS: u32 = 256;     // most rows of a LAP
override QUADS: u32 = CHUNKS * SUBGROUP;
override COLUMNS: u32 = 4 * QUADS;

const MOST_CHUNKS = 8u;
const NONE = -1;
const LOST = -2;              // columnOf of a row that a warm start leaves free, until it is in the ring

// By column, at place(column): all columns 4q, then all 4q + 1, …, so that the lanes of a subgroup meet different banks.
var<workgroup> v: array<f32, COLUMNS>;
var<workgroup> rowOf: array<i32, COLUMNS>;
var<workgroup> drop: array<atomic<u32>, COLUMNS>;   // bits of the amount v falls by; key of the column minimum at first
var<workgroup> claim: array<atomic<u32>, COLUMNS>;  // TEAMS − team of the path that may use the column
// By row.
var<workgroup> u: array<f32, ROWS>;
var<workgroup> columnOf: array<i32, ROWS>;
var<workgroup> ring: array<u32, ROWS>;              // free rows, waiting for their turn
var<workgroup> predecessor: array<vec2u, TEAMS * QUADS>;  // rows a team's columns are reached from, 16 bits each
var<workgroup> freeRows: u32;
var<workgroup> failure: atomic<u32>;                // 1 + a row that cannot be served, or 0
var<workgroup> stale: atomic<u32>;
var<workgroup> longest: atomic<u32>;                // steps of the longest search of this round
var<workgroup> chain: u32;                          // its sum over the rounds
var<workgroup> bidColumn: array<i32, TEAMS>;
var<workgroup> bidRaise: array<f32, TEAMS>;
var<workgroup> returned: array<i32, TEAMS>;         // row that goes back to the ring, or NONE

// The first lane of a non-empty set at or after `turn`, cyclically: ties fall on different columns for different rows.
fn pick(lanes: u32, turn: u32) -> u32 {
  let after = lanes & (0xffffffffu << turn);
  return firstTrailingBit(select(lanes, after, after != 0));
}

fn place(j: u32) -> u32 { return (j % 4) * QUADS + j / 4; }

fn least4(x: vec4f) -> f32 { return min(min(x.x, x.y), min(x.z, x.w)); }

// The four slots of chunk k as bits: those whose element is true, and whether each is in a set.
fn bitsOf(k: u32, isIn: vec4<bool>) -> u32 {
  let bits = select(vec4u(0), vec4u(1, 2, 4, 8), isIn);
  return (bits.x | bits.y | bits.z | bits.w) << (4 * k);
}

fn isIn(k: u32, slots: u32) -> vec4<bool> {
  return (vec4u(slots >> (4 * k)) & vec4u(1, 2, 4, 8)) != vec4u(0);
}

fn columnOfSlot(slot: u32, lane: u32) -> u32 { return 4 * ((slot / 4) * SUBGROUP + lane) + slot % 4; }

fn loadQuad(lap: Lap, i: u32, quad: u32) -> vec4f {
  let width = quads(lap);
  let c = cost[lap.cost + i * width + min(quad, width - 1)];
  return select(vec4f(FORBIDDEN), c, quad < width);
}

alias Row = array<vec4f, MOST_CHUNKS>;

// The lane's entries of a row, all requested before the first is used.
fn loadRow(lap: Lap, i: u32, lane: u32) -> Row {
  var row: Row;
  row[0] = loadQuad(lap, i, lane);
  #unroll k 1..7 if (CHUNKS > $k) { row[$k] = loadQuad(lap, i, $k * SUBGROUP + lane); }
  return row;
}

fn dualsOf(k: u32, lane: u32) -> vec4f {
  let q = k * SUBGROUP + lane;
  return vec4f(v[q], v[QUADS + q], v[2 * QUADS + q], v[3 * QUADS + q]);
}

// The row less the column duals, FORBIDDEN where it was.
fn reduceQuad(k: u32, lane: u32, c: vec4f) -> vec4f {
  return select(vec4f(FORBIDDEN), c - dualsOf(k, lane), c < vec4f(FORBIDDEN));
}

fn loadReducedRow(lap: Lap, i: u32, lane: u32) -> Row {
  var row = loadRow(lap, i, lane);
  row[0] = reduceQuad(0, lane, row[0]);
  #unroll k 1..7 if (CHUNKS > $k) { row[$k] = reduceQuad($k, lane, row[$k]); }
  return row;
}

fn leastOfRow(row: Row) -> f32 {
  var least = least4(row[0]);
  #unroll k 1..7 if (CHUNKS > $k) { least = min(least, least4(row[$k])); }
  return least;
}

// Slots of a row that equal a value.
fn slotsEqual(row: Row, x: f32) -> u32 {
  let value = vec4f(x);
  var slots = bitsOf(0, row[0] == value);
  #unroll k 1..7 if (CHUNKS > $k) { slots |= bitsOf($k, row[$k] == value); }
  return slots;
}

// Slots whose column has no row.
fn freeSlots(lane: u32) -> u32 {
  var slots = openOfQuad(0, lane);
  #unroll k 1..7 if (CHUNKS > $k) { slots |= openOfQuad($k, lane); }
  return slots;
}

fn openOfQuad(k: u32, lane: u32) -> u32 {
  let q = k * SUBGROUP + lane;
  let rows = vec4i(rowOf[q], rowOf[QUADS + q], rowOf[2 * QUADS + q], rowOf[3 * QUADS + q]);
  return bitsOf(k, rows == vec4i(NONE));
}

@compute @workgroup_size(SUBGROUP * TEAMS)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
  @builtin(subgroup_id) team: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  for (var index = settings.first + workgroup.x; index < settings.first + settings.laps; index += workgroups.x) {
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

  lowerDuals(lap, thread);
  workgroupBarrier();
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
    rowOf[place(j)] = NONE;
    atomicStore(&claim[place(j)], 0);
    atomicStore(&drop[place(j)], 0xffffffffu);
  }
  for (var i = thread; i < lap.rows; i += SUBGROUP * TEAMS) {
    columnOf[i] = NONE;
    ring[i] = i;
    u[i] = 0;
  }
  workgroupBarrier();
  reduceColumns(lap, team, lane);
  workgroupBarrier();
  for (var j = thread; j < lap.columns; j += SUBGROUP * TEAMS) {
    let most = limit[lap.column + j];
    let lowest = valueOf(atomicExchange(&drop[place(j)], 0));
    v[place(j)] = select(select(lowest, 0, lowest >= FORBIDDEN), most, most < FORBIDDEN);
  }
  workgroupBarrier();
  return lap.rows;
}

// Lowers the keys in `drop` to the columns' least entries less the row duals.
fn reduceColumns(lap: Lap, team: u32, lane: u32) {
  let none = vec4f(FORBIDDEN);
  var least = Row(none, none, none, none, none, none, none, none);
  for (var i = team; i < lap.rows; i += TEAMS) {
    let row = loadRow(lap, i, lane);
    let dual = u[i];
    least[0] = lesser(least[0], row[0], dual);
    #unroll k 1..7 if (CHUNKS > $k) { least[$k] = lesser(least[$k], row[$k], dual); }
  }
  lowerKey(0, lane, least[0]);
  #unroll k 1..7 if (CHUNKS > $k) { lowerKey($k, lane, least[$k]); }
}

fn lesser(least: vec4f, c: vec4f, dual: f32) -> vec4f {
  return min(least, select(vec4f(FORBIDDEN), c - dual, c < vec4f(FORBIDDEN)));
}

fn lowerKey(k: u32, lane: u32, least: vec4f) {
  let q = k * SUBGROUP + lane;
  atomicMin(&drop[q], keyOf(least.x));
  atomicMin(&drop[QUADS + q], keyOf(least.y));
  atomicMin(&drop[2 * QUADS + q], keyOf(least.z));
  atomicMin(&drop[3 * QUADS + q], keyOf(least.w));
}

// Warm start: keeps the links that are still tight, collects the rows that lost theirs; lap.rows + 1 if a cold start is due.
fn resume(lap: Lap, thread: u32, team: u32, lane: u32) -> u32 {
  let threads = SUBGROUP * TEAMS;
  for (var j = thread; j < lap.columns; j += threads) {
    v[place(j)] = dual[lap.column + j];
    rowOf[place(j)] = NONE;
    atomicStore(&claim[place(j)], 0);
    atomicStore(&drop[place(j)], 0);
  }
  workgroupBarrier();
  for (var i = thread; i < lap.rows; i += threads) {
    let j = columnOfRow[lap.row + i];
    columnOf[i] = select(NONE, j, j < i32(lap.columns));
    if (columnOf[i] >= 0) { rowOf[place(u32(j))] = i32(i); }
  }
  workgroupBarrier();
  for (var i = thread; i < lap.rows; i += threads) {
    let j = columnOf[i];
    if (j >= 0 && rowOf[place(u32(j))] != i32(i)) { columnOf[i] = NONE; }
  }
  var round = 0u;
  loop {
    if (thread == 0) { atomicStore(&stale, 0); }
    workgroupBarrier();
    for (var j = thread; j < lap.columns; j += threads) {
      let most = limit[lap.column + j];
      if (isOffLimit(v[place(j)], most, rowOf[place(j)] != NONE)) {
        v[place(j)] = most;
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
      if (i < lap.rows) { isFree = columnOf[i] == LOST; }
      let place = found + subgroupExclusiveAdd(select(0u, 1u, isFree));
      if (isFree) {
        ring[place] = i;
        columnOf[i] = NONE;
      }
      found += countOneBits(subgroupBallot(isFree).x);
    }
    if (lane == 0) { freeRows = found; }
  }
  let free = workgroupUniformLoad(&freeRows);
  if (free > 0) { raiseColumns(lap, thread, team, lane); }
  return free;
}

// Columns without a row that must have one: their duals rise until a row is tight. What they fell by in solves before, for
// other costs, would keep them away from the rows: most searches would pass all other columns first.
fn raiseColumns(lap: Lap, thread: u32, team: u32, lane: u32) {
  let threads = SUBGROUP * TEAMS;
  for (var j = thread; j < lap.columns; j += threads) { atomicStore(&drop[place(j)], 0xffffffffu); }
  workgroupBarrier();
  reduceColumns(lap, team, lane);
  workgroupBarrier();
  for (var j = thread; j < lap.columns; j += threads) {
    let least = valueOf(atomicExchange(&drop[place(j)], 0));
    if (rowOf[place(j)] == NONE && limit[lap.column + j] >= FORBIDDEN && least < FORBIDDEN) { v[place(j)] = least; }
  }
  workgroupBarrier();
}

fn isStale(thread: u32) -> bool {
  workgroupBarrier();
  if (thread == 0) { freeRows = atomicLoad(&stale); }
  return workgroupUniformLoad(&freeRows) != 0;
}

// Sets the dual of a row by the link or the exit that it keeps, or by its best entry and LOST if it keeps neither.
fn keepIfTight(lap: Lap, i: u32, lane: u32) {
  let least = leastOfRow(loadReducedRow(lap, i, lane));
  let most = limit[lap.row + i];
  let best = min(valueOf(subgroupMin(keyOf(least))), most);
  if (lane != 0) { return; }
  let j = columnOf[i];
  u[i] = best;
  if (j < 0) {
    columnOf[i] = select(LOST, NONE, most < FORBIDDEN && most <= best);
    return;
  }
  let c = costAt(lap, i, u32(j));
  let vj = v[place(u32(j))];
  if (isTight(c, vj, best)) {
    u[i] = c - vj;
  } else {
    columnOf[i] = LOST;
    rowOf[place(u32(j))] = NONE;
  }
}

// Phase 1: the team's row finds its best column and how much more than the second best it may pay.
fn bid(lap: Lap, head: u32, taken: u32, team: u32, lane: u32) {
  if (team >= taken) { return; }
  let i = ring[(head + team) % lap.rows];
  let row = loadReducedRow(lap, i, lane);
  var two = lowestTwo(vec2f(FORBIDDEN), row[0]);
  #unroll k 1..7 if (CHUNKS > $k) { two = lowestTwo(two, row[$k]); }
  let first = valueOf(subgroupMin(keyOf(two.x)));
  let equal = slotsEqual(row, first);
  let equalFree = equal & freeSlots(lane);
  let tied = subgroupBallot(equal != 0).x;
  let tiedOpen = subgroupBallot(equalFree != 0).x;
  let isFree = tiedOpen != 0;
  let chosen = pick(select(tied, tiedOpen, isFree), i % SUBGROUP);
  let runnerUp = valueOf(subgroupMin(keyOf(select(two.x, two.y, lane == chosen))));
  if (lane != chosen) { return; }
  let most = limit[lap.row + i];
  let raise = min(runnerUp, most) - first;
  if (most <= first && most < FORBIDDEN) {
    bidColumn[team] = -2;  // stays unassigned, for good: columns only get dearer
  } else if (first >= FORBIDDEN || min(runnerUp, most) >= FORBIDDEN || (raise == 0 && !isFree)) {
    bidColumn[team] = NONE;
  } else {
    bidColumn[team] = i32(columnOfSlot(firstTrailingBit(select(equal, equalFree, isFree)), lane));
    bidRaise[team] = raise;
  }
}

// The two lowest numbers among the two lowest so far and four more.
fn lowestTwo(two: vec2f, x: vec4f) -> vec2f {
  let a = vec2f(min(x.x, x.y), max(x.x, x.y));
  let b = vec2f(min(x.z, x.w), max(x.z, x.w));
  let c = vec2f(min(a.x, b.x), min(max(a.x, b.x), min(a.y, b.y)));
  return vec2f(min(two.x, c.x), min(max(two.x, c.x), min(two.y, c.y)));
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
  let ousted = rowOf[place(u32(j))];
  returned[team] = ousted;
  if (ousted != NONE) { columnOf[ousted] = NONE; }
  let lowered = v[place(u32(j))] - bidRaise[team];
  rowOf[place(u32(j))] = i32(i);
  columnOf[i] = j;
  v[place(u32(j))] = lowered;
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
  var distance = loadReducedRow(lap, root, lane);
  let free = freeSlots(lane);
  let most = limit[lap.row + root];
  let rootDual = min(valueOf(subgroupMin(keyOf(leastOfRow(distance)))), most);
  let trail = team * QUADS + lane;
  beginQuad(root, rootDual, &distance[0], trail + 0 * SUBGROUP);
  #unroll k 1..7 if (CHUNKS > $k) { beginQuad(root, rootDual, &distance[$k], trail + $k * SUBGROUP); }
  var nearest = leastFree(distance, free);
  var exitAt = FORBIDDEN;
  var exitRow = i32(root);
  if (most < FORBIDDEN) { exitAt = most - rootDual; }

  var scanned = 0u;
  var steps = 0u;
  var end = NONE;
  var reached = 0f;
  loop {
    steps++;
    reached = bitcast<f32>(subgroupMin(bitcast<u32>(nearest.x)));
    let freeAt = bitcast<f32>(subgroupMin(bitcast<u32>(nearest.y)));
    if (min(exitAt, reached) >= FORBIDDEN) {
      if (lane == 0) { atomicMax(&failure, root + 1); }
      return vec2i(NONE, NONE);
    }
    if (exitAt <= reached) {
      reached = exitAt;
      break;
    }
    let isEnd = freeAt <= reached + settings.slack;
    let equal = slotsEqual(distance, select(reached, freeAt, isEnd)) & select(~scanned, free, isEnd);
    let chosen = pick(subgroupBallot(equal != 0).x, root % SUBGROUP);
    let slot = subgroupShuffle(firstTrailingBit(equal), chosen);
    let j = columnOfSlot(slot, chosen);
    if (isEnd) {
      end = i32(j);
      exitRow = NONE;
      break;
    }
    if (lane == chosen) { scanned |= 1u << slot; }
    let i = u32(rowOf[place(j)]);
    let through = Through(i, u[i], reached, scanned, free);
    let row = loadRow(lap, i, lane);
    nearest = shorten(0, lane, row[0], through, &distance[0], trail + 0 * SUBGROUP);
    #unroll k 1..7 if (CHUNKS > $k) { nearest = min(nearest, shorten($k, lane, row[$k], through, &distance[$k], trail + $k * SUBGROUP)); }
    let stay = limit[lap.row + i];
    if (stay < FORBIDDEN) {
      let d = exitThrough(stay, through.dual, reached);
      if (d < exitAt) {
        exitAt = d;
        exitRow = i32(i);
      }
    }
  }
  leave(0, lane, reached, scanned, distance[0]);
  #unroll k 1..7 if (CHUNKS > $k) { leave($k, lane, reached, scanned, distance[$k]); }
  if (lane == 0) { atomicMax(&longest, steps); }
  return vec2i(end, exitRow);
}

// The row a search goes through, its dual and distance, the slots it must leave alone and those it may end in.
struct Through {
  row: u32,
  dual: f32,
  reached: f32,
  scanned: u32,
  free: u32,
}

// The least distance, and the least to a column without a row.
fn leastFree(distance: Row, free: u32) -> vec2f {
  var least = leastFree4(0, distance[0], 0, free);
  #unroll k 1..7 if (CHUNKS > $k) { least = min(least, leastFree4($k, distance[$k], 0, free)); }
  return least;
}

fn leastFree4(k: u32, distance: vec4f, scanned: u32, free: u32) -> vec2f {
  let none = vec4f(FORBIDDEN);
  return vec2f(least4(select(distance, none, isIn(k, scanned))), least4(select(none, distance, isIn(k, free))));
}

fn beginQuad(root: u32, rootDual: f32, distance: ptr<function, vec4f>, at: u32) {
  *distance = select(vec4f(FORBIDDEN), *distance - rootDual, *distance < vec4f(FORBIDDEN));
  predecessor[at] = vec2u(root * 0x10001u);
}

// Lowers the distances of one chunk where the path through a row is shorter; returns the least of those not yet scanned, and of the
// free ones.
fn shorten(
  k: u32,
  lane: u32,
  c: vec4f,
  through: Through,
  distance: ptr<function, vec4f>,
  at: u32,
) -> vec2f {
  let closed = isIn(k, through.scanned);
  let d = max((c - dualsOf(k, lane)) - through.dual + through.reached, vec4f(through.reached));
  let isShorter = (d < *distance) & (c < vec4f(FORBIDDEN)) & !closed;
  *distance = select(*distance, d, isShorter);
  if (any(isShorter)) {
    let rows = predecessor[at];
    let all = select(vec4u(rows.x & 0xffffu, rows.x >> 16, rows.y & 0xffffu, rows.y >> 16), vec4u(through.row), isShorter);
    predecessor[at] = vec2u(all.x | (all.y << 16), all.z | (all.w << 16));
  }
  return leastFree4(k, *distance, through.scanned, through.free);
}

// Writes for the other teams how far the duals of a chunk's scanned columns must fall.
fn leave(k: u32, lane: u32, reached: f32, scanned: u32, distance: vec4f) {
  let q = k * SUBGROUP + lane;
  let closed = isIn(k, scanned);
  let fall = bitcast<vec4u>(vec4f(reached) - distance);
  if (closed.x) { atomicMax(&drop[q], fall.x); }
  if (closed.y) { atomicMax(&drop[QUADS + q], fall.y); }
  if (closed.z) { atomicMax(&drop[2 * QUADS + q], fall.z); }
  if (closed.w) { atomicMax(&drop[3 * QUADS + q], fall.w); }
}

fn predecessorOf(team: u32, j: i32) -> u32 {
  let rows = predecessor[team * QUADS + u32(j) / 4];
  return (select(rows.x, rows.y, (j & 2) != 0) >> (16 * (u32(j) & 1))) & 0xffffu;
}

// The last column of a path: its free column, or the column its exiting row gives up (NONE if that row is the root).
fn lastColumn(end: i32, exit: i32) -> i32 {
  if (end != NONE || exit == NONE) { return end; }
  return columnOf[exit];
}

fn claimPath(end: i32, exit: i32, team: u32) {
  var j = lastColumn(end, exit);
  while (j != NONE) {
    atomicMax(&claim[place(u32(j))], TEAMS - team);
    j = columnOf[predecessorOf(team, j)];
  }
}

fn ownsPath(end: i32, exit: i32, team: u32) -> bool {
  var j = lastColumn(end, exit);
  while (j != NONE) {
    if (atomicLoad(&claim[place(u32(j))]) != TEAMS - team) { return false; }
    j = columnOf[predecessorOf(team, j)];
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
    let i = predecessorOf(team, j);
    let next = columnOf[i];
    columnOf[i] = j;
    rowOf[place(u32(j))] = i32(i);
    j = next;
  }
}

// v falls by the largest amount any team asked for; the rows' duals follow from their links.
fn lowerDuals(lap: Lap, thread: u32) {
  for (var j = thread; j < lap.columns; j += SUBGROUP * TEAMS) {
    atomicStore(&claim[place(j)], 0);
    let lowered = v[place(j)] - bitcast<f32>(atomicExchange(&drop[place(j)], 0));
    v[place(j)] = lowered;
    let i = rowOf[place(j)];
    if (i != NONE) { u[i] = costAt(lap, u32(i), j) - lowered; }
  }
}

fn finish(index: u32, lap: Lap, bids: u32, rounds: u32, thread: u32, team: u32, lane: u32) {
  if (thread == 0) { atomicStore(&stale, 0); }
  workgroupBarrier();
  for (var j = thread; j < lap.columns; j += SUBGROUP * TEAMS) {
    dual[lap.column + j] = v[place(j)];
    if (rowOf[place(j)] == NONE && limit[lap.column + j] >= FORBIDDEN) { atomicMax(&stale, j + 1); }
  }
  for (var i = thread; i < lap.rows; i += SUBGROUP * TEAMS) {
    columnOfRow[lap.row + i] = columnOf[i];
    dual[lap.row + i] = u[i];
  }
  workgroupBarrier();
  if (team > 0) { return; }
  var value = 0f;
  for (var j = lane; j < lap.columns; j += SUBGROUP) { value += v[place(j)]; }
  for (var i = lane; i < lap.rows; i += SUBGROUP) { value += u[i]; }
  value = subgroupAdd(value);
  let row = i32(atomicLoad(&failure)) - 1;
  let column = i32(atomicLoad(&stale)) - 1;
  if (lane == 0) {
    outcome[index] = outcomeOf(row, column, value, bids, rounds, chain);
  }
}
