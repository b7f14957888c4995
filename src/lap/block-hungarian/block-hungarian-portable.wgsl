// Solves linear assignment problems, one workgroup each from start to end; the path for devices without subgroups and for
// LAPs beyond the subgroup path's size. Same method as block-hungarian-subgroup.wgsl with one team, the whole workgroup:
// thread t owns columns t, t + THREADS, …, one row at a time bids or searches, and what the threads agree on by `leastOf` and `nearestOf` of the piece
// `reduction` that the host chooses, thread 0 knows.
//
// The state of a LAP are seven arrays of SIZE words. The first of them, as many as it holds, lie in workgroup memory, and the others in `scratch`, one
// stretch per workgroup of the dispatch.
//
// Twin: lab/lap/twin/block-hungarian.ts.

#import lap
#import reduction

// The decision of a step of the search, for all threads.
struct Decision {
  kind: u32,     // 0 go on from `row`, 1 ends in `column`, 2 ends in the exit of `row`, 3 infeasible
  column: u32,
  row: u32,
  reached: f32,
  dual: f32,
}

override THREADS: u32 = 128;
override SIZE: u32 = 256;                          // most rows or columns of a LAP
override HELD: u32 = 7;                            // arrays in workgroup memory
override WORDS: u32 = max(HELD * SIZE, 1);

const NONE = 0xffffffffu;
const LOST = 0xfffffffeu;                          // COLUMN_OF a row that a warm start leaves free, until it is in the ring
const SCANNED = 0x80000000u;                       // flag in a column's predecessor
const OCCUPIED = 0x10000u;                         // added to the tie rank of a column that has a row

@group(0) @binding(7) var<storage, read_write> scratch: array<u32>;

var<workgroup> state: array<u32, WORDS>;
var<private> stretch: u32;
var<workgroup> decision: Decision;
var<workgroup> exitAt: f32;
var<workgroup> exitRow: u32;
var<workgroup> stale: atomic<u32>;
var<workgroup> freeRows: u32;

// The seven arrays: each column's dual, and of a search its predecessor and distance; the matching, the duals of rows, the ring of free rows. Those that
// every step of a search reads of every column come first, and STEPPED of them a step may use.
const STEPPED = 5u;
fn V(j: u32) -> u32 { return j; }
fn PREDECESSOR(j: u32) -> u32 { return SIZE + j; }
fn DISTANCE(j: u32) -> u32 { return 2 * SIZE + j; }
fn ROW_OF(j: u32) -> u32 { return 3 * SIZE + j; }
fn U(i: u32) -> u32 { return 4 * SIZE + i; }
fn COLUMN_OF(i: u32) -> u32 { return 5 * SIZE + i; }
fn RING(k: u32) -> u32 { return 6 * SIZE + k; }

fn word(place: u32) -> u32 {
  if (place < HELD * SIZE) { return state[place]; }
  return scratch[stretch + place];
}

fn put(place: u32, value: u32) {
  if (place < HELD * SIZE) { state[place] = value; } else { scratch[stretch + place] = value; }
}

fn number(place: u32) -> f32 { return bitcast<f32>(word(place)); }
fn putNumber(place: u32, value: f32) { put(place, bitcast<u32>(value)); }

fn sync() {
  workgroupBarrier();
  storageBarrier();
}

fn solveFrom(workgroup: u32, workgroups: u32, thread: u32) {
  stretch = workgroup * 7 * SIZE;
  for (var index = settings.first + workgroup; index < settings.first + settings.laps; index += workgroups) {
    solve(index, thread);
    sync();
  }
}

fn solve(index: u32, thread: u32) {
  let lap = laps[index];
  var free = lap.rows + 1;
  if (settings.warm == 1) { free = resume(lap, thread); }
  if (free > lap.rows) { free = start(lap, thread); }

  var head = 0u;
  var bids = 0u;
  let budget = BID_ROUNDS * free;
  while (free > 0 && bids < budget) {
    let back = bid(lap, word(RING(head)), thread);
    head = (head + 1) % lap.rows;
    free = giveBack(lap, head, free - 1, back, thread);
    bids++;
  }

  var rounds = 0u;
  var steps = 0u;
  var failed = NONE;
  while (free > 0) {
    let root = word(RING(head));
    let searched = search(lap, root, thread);
    steps += searched & 0x7fffffffu;
    if ((searched & 0x80000000u) != 0) {
      if (thread == 0) { freeRows = root; }
      failed = workgroupUniformLoad(&freeRows);
      break;
    }
    head = (head + 1) % lap.rows;
    free -= 1;
    rounds++;
  }
  finish(index, lap, failed, bids, rounds, steps, thread);
}

// Cold start: duals at the limits, or at the column minima where a column must be assigned; all rows are free.
fn start(lap: Lap, thread: u32) -> u32 {
  for (var j = thread; j < lap.columns; j += THREADS) {
    put(ROW_OF(j), NONE);
    let most = limit[lap.column + j];
    var least = FORBIDDEN;
    if (most >= FORBIDDEN) {
      for (var i = 0u; i < lap.rows; i++) { least = min(least, costAt(lap, i, j)); }
      putNumber(V(j), select(least, 0, least >= FORBIDDEN));
    } else {
      putNumber(V(j), most);
    }
  }
  for (var i = thread; i < lap.rows; i += THREADS) {
    put(COLUMN_OF(i), NONE);
    put(RING(i), i);
  }
  sync();
  return lap.rows;
}

// Warm start: keeps the links that are still tight, collects the rows that lost theirs; lap.rows + 1 if a cold start is due.
fn resume(lap: Lap, thread: u32) -> u32 {
  for (var j = thread; j < lap.columns; j += THREADS) {
    putNumber(V(j), dual[lap.column + j]);
    put(ROW_OF(j), NONE);
  }
  sync();
  for (var i = thread; i < lap.rows; i += THREADS) {
    let j = u32(columnOfRow[lap.row + i]);
    put(COLUMN_OF(i), select(NONE, j, j < lap.columns));
    if (j < lap.columns) { put(ROW_OF(j), i); }
  }
  sync();
  for (var i = thread; i < lap.rows; i += THREADS) {
    let j = word(COLUMN_OF(i));
    if (j != NONE && word(ROW_OF(j)) != i) { put(COLUMN_OF(i), NONE); }
  }
  var round = 0u;
  loop {
    if (thread == 0) { atomicStore(&stale, 0); }
    sync();
    for (var j = thread; j < lap.columns; j += THREADS) {
      let most = limit[lap.column + j];
      if (isOffLimit(number(V(j)), most, word(ROW_OF(j)) != NONE)) {
        putNumber(V(j), most);
        atomicStore(&stale, 1);
      }
    }
    sync();
    if (thread == 0) { freeRows = atomicLoad(&stale); }
    if (workgroupUniformLoad(&freeRows) == 0 && round > 0) { break; }
    if (round == WARM_PASSES) { return lap.rows + 1; }
    for (var i = thread; i < lap.rows; i += THREADS) { keepIfTight(lap, i); }
    sync();
    round++;
  }
  if (thread == 0) {
    var found = 0u;
    for (var i = 0u; i < lap.rows; i++) {
      if (word(COLUMN_OF(i)) == LOST) {
        put(COLUMN_OF(i), NONE);
        put(RING(found), i);
        found++;
      }
    }
    freeRows = found;
  }
  sync();
  let free = workgroupUniformLoad(&freeRows);
  if (free > 0) { raiseColumns(lap, thread); }
  return free;
}

// Columns without a row that must have one: their duals rise until a row is tight. What they fell by in solves before, for
// other costs, would keep them away from the rows: most searches would pass all other columns first.
fn raiseColumns(lap: Lap, thread: u32) {
  for (var j = thread; j < lap.columns; j += THREADS) {
    if (word(ROW_OF(j)) != NONE || limit[lap.column + j] < FORBIDDEN) { continue; }
    var least = FORBIDDEN;
    for (var i = 0u; i < lap.rows; i++) {
      let c = costAt(lap, i, j);
      if (c < FORBIDDEN) { least = min(least, c - number(U(i))); }
    }
    if (least < FORBIDDEN) { putNumber(V(j), least); }
  }
  sync();
}

// Sets the dual of a row by the link or the exit that it keeps, or by its best entry and LOST if it keeps neither.
fn keepIfTight(lap: Lap, i: u32) {
  let most = limit[lap.row + i];
  var best = most;
  for (var j = 0u; j < lap.columns; j++) {
    let c = costAt(lap, i, j);
    if (c < FORBIDDEN) { best = min(best, c - number(V(j))); }
  }
  let j = word(COLUMN_OF(i));
  putNumber(U(i), best);
  if (j >= LOST) {
    put(COLUMN_OF(i), select(LOST, NONE, most < FORBIDDEN && most <= best));
    return;
  }
  let c = costAt(lap, i, j);
  let vj = number(V(j));
  if (isTight(c, vj, best)) {
    putNumber(U(i), c - vj);
  } else {
    put(COLUMN_OF(i), LOST);
    put(ROW_OF(j), NONE);
  }
}

// Threads from a row's own on come first among ties, so that ties fall on different columns for different rows.
fn turn(thread: u32, row: u32) -> u32 { return (thread + THREADS - row % THREADS) % THREADS; }

// The row takes its best column at the price of the second best. Returns, on thread 0, the row left without a column.
fn bid(lap: Lap, i: u32, thread: u32) -> u32 {
  var first = FORBIDDEN;
  var second = FORBIDDEN;
  var column = 0u;
  var occupied = OCCUPIED;
  for (var j = thread; j < lap.columns; j += THREADS) {
    let c = costAt(lap, i, j);
    if (c < FORBIDDEN) {
      let x = c - number(V(j));
      let isFree = word(ROW_OF(j)) == NONE;
      if (x < first || (x == first && isFree && occupied != 0)) {
        second = first;
        first = x;
        column = j;
        occupied = select(OCCUPIED, 0, isFree);
      } else {
        second = min(second, x);
      }
    }
  }
  let least = leastOf(Least(keyOf(first), turn(thread, i) + occupied, column, keyOf(second)), thread);
  var back = i;
  if (thread == 0) {
    let best = valueOf(least.key);
    let most = limit[lap.row + i];
    let next = min(valueOf(least.second), most);
    if (most <= best && most < FORBIDDEN) {
      putNumber(U(i), most);
      back = NONE;
    } else if (best < FORBIDDEN && next < FORBIDDEN && (next > best || least.rank < OCCUPIED)) {
      let j = least.column;
      back = word(ROW_OF(j));
      if (back != NONE) { put(COLUMN_OF(back), NONE); }
      put(ROW_OF(j), i);
      put(COLUMN_OF(i), j);
      putNumber(V(j), number(V(j)) - (next - best));
      putNumber(U(i), costAt(lap, i, j) - number(V(j)));
    }
  }
  return back;
}

// Appends a row to the ring unless it is NONE; the number of free rows, for every thread.
fn giveBack(lap: Lap, head: u32, waiting: u32, row: u32, thread: u32) -> u32 {
  if (thread == 0) {
    if (row != NONE) { put(RING((head + waiting) % lap.rows), row); }
    freeRows = select(waiting, waiting + 1, row != NONE);
  }
  sync();
  return workgroupUniformLoad(&freeRows);
}

// Shortest augmenting path from a free row; flips it and lowers the duals. Returns the steps taken, high bit set if there is
// no path.
fn search(lap: Lap, root: u32, thread: u32) -> u32 {
  let least = leastOfRow(lap, root, thread);
  for (var j = thread; j < lap.columns; j += THREADS) {
    putNumber(DISTANCE(j), FORBIDDEN);
    put(PREDECESSOR(j), root);
  }
  if (thread == 0) {
    exitAt = FORBIDDEN;
    exitRow = root;
    decision = Decision(0, 0, root, 0, min(least, limit[lap.row + root]));
  }
  sync();
  var steps = 0u;
  var now = workgroupUniformLoad(&decision);
  while (now.kind == 0) {
    steps++;
    let stay = limit[lap.row + now.row];
    let nearest = nearestOf(relax(lap, now, root, thread), thread);
    if (thread == 0) { decide(now, stay, nearest); }
    if (HELD < STEPPED) { storageBarrier(); }
    now = workgroupUniformLoad(&decision);
  }
  if (now.kind == 3) { return steps | 0x80000000u; }
  if (thread == 0) { flip(lap, now, root); }
  sync();
  for (var j = thread; j < lap.columns; j += THREADS) {
    if ((word(PREDECESSOR(j)) & SCANNED) != 0) { putNumber(V(j), number(V(j)) - (now.reached - number(DISTANCE(j)))); }
    let i = word(ROW_OF(j));
    if (i != NONE) { putNumber(U(i), costAt(lap, i, j) - number(V(j))); }
  }
  sync();
  return steps;
}

// Lowers the distances of the thread's columns that are not yet scanned along paths through one row; its nearest, and its nearest without a row.
fn relax(lap: Lap, now: Decision, root: u32, thread: u32) -> Nearest {
  var nearest = FORBIDDEN;
  var column = 0u;
  var openAt = FORBIDDEN;
  var end = thread;
  var next = costAt(lap, now.row, min(thread, lap.columns - 1));
  for (var j = thread; j < lap.columns; j += THREADS) {
    // The next entry is on its way while this one is looked at.
    let c = next;
    next = costAt(lap, now.row, min(j + THREADS, lap.columns - 1));
    if ((word(PREDECESSOR(j)) & SCANNED) != 0) { continue; }
    var d = number(DISTANCE(j));
    if (c < FORBIDDEN) {
      let shorter = max((c - number(V(j))) - now.dual + now.reached, now.reached);
      if (shorter < d) {
        d = shorter;
        putNumber(DISTANCE(j), d);
        put(PREDECESSOR(j), now.row);
      }
    }
    if (d < nearest) {
      nearest = d;
      column = j;
    }
    if (d < openAt && word(ROW_OF(j)) == NONE) {
      openAt = d;
      end = j;
    }
  }
  let rank = turn(thread, root);
  return Nearest(rank, keyOf(nearest), column, keyOf(openAt), end, rank);
}

// Decides, on thread 0, how the search goes on from the nearest column and the nearest exit.
fn decide(now: Decision, stay: f32, found: Nearest) {
  if (stay < FORBIDDEN) {
    let d = exitThrough(stay, now.dual, now.reached);
    if (d < exitAt) {
      exitAt = d;
      exitRow = now.row;
    }
  }
  let nearest = valueOf(found.key);
  let j = found.column;
  if (min(nearest, exitAt) >= FORBIDDEN) {
    decision.kind = 3;
  } else if (exitAt <= nearest) {
    decision = Decision(2, 0, exitRow, exitAt, 0);
  } else if (valueOf(found.openKey) <= nearest + settings.slack) {
    decision = Decision(1, found.openColumn, 0, nearest, 0);
  } else {
    put(PREDECESSOR(j), word(PREDECESSOR(j)) | SCANNED);
    let i = word(ROW_OF(j));
    decision = Decision(0, j, i, nearest, number(U(i)));
  }
}

// The row's least reduced cost, which thread 0 knows.
fn leastOfRow(lap: Lap, i: u32, thread: u32) -> f32 {
  var least = FORBIDDEN;
  for (var j = thread; j < lap.columns; j += THREADS) {
    let c = costAt(lap, i, j);
    if (c < FORBIDDEN) { least = min(least, c - number(V(j))); }
  }
  return valueOf(leastOf(Least(keyOf(least), 0, 0, 0), thread).key);
}

// On thread 0: moves every row of the path to the column it came from.
fn flip(lap: Lap, end: Decision, root: u32) {
  var j = end.column;
  if (end.kind == 2) {
    j = word(COLUMN_OF(end.row));
    put(COLUMN_OF(end.row), NONE);
    putNumber(U(end.row), limit[lap.row + end.row]);
  }
  while (j != NONE) {
    let i = word(PREDECESSOR(j)) & ~SCANNED;
    let next = word(COLUMN_OF(i));
    put(COLUMN_OF(i), j);
    put(ROW_OF(j), i);
    j = next;
  }
}

fn finish(index: u32, lap: Lap, failed: u32, bids: u32, rounds: u32, steps: u32, thread: u32) {
  if (thread == 0) { atomicStore(&stale, 0); }
  sync();
  for (var j = thread; j < lap.columns; j += THREADS) {
    dual[lap.column + j] = number(V(j));
    if (word(ROW_OF(j)) == NONE && limit[lap.column + j] >= FORBIDDEN) { atomicMax(&stale, j + 1); }
  }
  for (var i = thread; i < lap.rows; i += THREADS) {
    columnOfRow[lap.row + i] = i32(word(COLUMN_OF(i)));
    dual[lap.row + i] = number(U(i));
  }
  sync();
  if (thread > 0) { return; }
  var value = 0f;
  for (var j = 0u; j < lap.columns; j++) { value += number(V(j)); }
  for (var i = 0u; i < lap.rows; i++) { value += number(U(i)); }
  let column = i32(atomicLoad(&stale)) - 1;
  // NONE is −1.
  outcome[index] = outcomeOf(bitcast<i32>(failed), column, value, bids, rounds, steps);
}
