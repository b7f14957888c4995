// A search of the whole workgroup, with its labels in storage: the threads share a seeker's arcs, and the labels among which the nearest is sought.

#import sides

struct Tree {
  seeker: u32,      // to be scanned next
  least: f32,       // its distance
  offset: f32,
  reach: f32,       // distance of the end
  endPartner: u32,  // NONE where endSeeker stays unassigned
  endThrough: u32,
  endSeeker: u32,
  scanned: u32,     // partners at the beginning of the list of labelled ones
}

var<workgroup> tree: Tree;
var<workgroup> isComplete: bool;
var<workgroup> listed: atomic<u32>;
var<workgroup> steps: u32;
var<workgroup> least: array<f32, THREADS>;
var<workgroup> leastOrder: array<u32, THREADS>;  // decides between equal ones
var<workgroup> leastAt: array<u32, THREADS>;

// What `labels` holds at a node.
const DISTANCE = 0u;
const SEEKER = 1u;
const THROUGH = 2u;
const LISTED = 3u;

fn label(node: u32, what: u32) -> u32 { return labels[4 * node + what]; }
fn distanceOf(node: u32) -> f32 { return bitcast<f32>(label(node, DISTANCE)); }

// False where no end can be reached. @param partners node of the LAP's first partner: from there on labelled ones are listed
fn searchLong(side: u32, first: u32, partners: u32, thread: u32) -> bool {
  if (thread == 0) {
    tree = Tree(first, -FORBIDDEN, 0, FORBIDDEN, NONE, NONE, NONE, 0);
    atomicStore(&listed, 0);
  }
  loop {
    let now = workgroupUniformLoad(&tree);
    scanArcs(side, now, partners, thread);
    findNearest(side, partners, thread);
    if (workgroupUniformLoad(&isComplete)) { break; }
  }
  let found = workgroupUniformLoad(&tree);
  let count = atomicLoad(&listed);
  for (var s = thread; s < found.scanned && found.reach < FORBIDDEN; s += THREADS) {
    let j = label(partners + s, LISTED);
    dual[j] -= found.reach - distanceOf(j);
    dual[holderOf(side, j)] += found.reach - distanceOf(j);
  }
  storageBarrier();
  if (thread == 0 && found.reach < FORBIDDEN) { flipLong(side, first, found); }
  storageBarrier();
  for (var s = thread; s < count; s += THREADS) { labels[4 * label(partners + s, LISTED) + SEEKER] = 0; }
  storageBarrier();
  return found.reach < FORBIDDEN;
}

// Labels what the seeker's arcs lead to, and takes the nearest end that it offers.
fn scanArcs(side: u32, now: Tree, partners: u32, thread: u32) {
  let leaves = limit[now.seeker] < FORBIDDEN && max(now.least, limit[now.seeker] + now.offset) < now.reach;
  let reach = select(now.reach, max(now.least, limit[now.seeker] + now.offset), leaves);
  let arcs = spanOf(now.seeker);
  var nearest = reach;
  var end = NONE;
  for (var a = arcs.x + thread; a < arcs.y; a += THREADS) {
    let j = arc[a];
    let k = rowArc(side, now.seeker, a, j);
    let distance = max(now.least, cost[k] - dual[j] + now.offset);
    if (!(distance < reach)) { continue; }
    if (link[j] < 0) {
      if (distance < nearest) {
        nearest = distance;
        end = a;
      }
      continue;
    }
    if (label(j, SEEKER) == 0) {
      labels[4 * (partners + atomicAdd(&listed, 1)) + LISTED] = j;
    } else if (!(distance < distanceOf(j))) {
      continue;
    }
    labels[4 * j + DISTANCE] = bitcast<u32>(distance);
    labels[4 * j + SEEKER] = now.seeker + 1;
    labels[4 * j + THROUGH] = k;
  }
  keepLeast(nearest, end, end, thread);
  if (thread == 0) {
    tree.reach = least[0];
    if (leastAt[0] != NONE) {
      tree.endPartner = arc[leastAt[0]];
      tree.endThrough = rowArc(side, now.seeker, leastAt[0], tree.endPartner);
      tree.endSeeker = now.seeker;
    } else if (leaves) {
      tree.endPartner = NONE;
      tree.endSeeker = now.seeker;
    }
  }
  storageBarrier();
  workgroupBarrier();
}

// Takes the nearest labelled partner as scanned and goes on with its holder, unless the end is nearer.
fn findNearest(side: u32, partners: u32, thread: u32) {
  var nearest = tree.reach;
  var order = NONE;
  var at = NONE;
  let count = atomicLoad(&listed);
  for (var s = tree.scanned + thread; s < count; s += THREADS) {
    let j = label(partners + s, LISTED);
    let distance = distanceOf(j);
    if (distance < nearest || (distance == nearest && at != NONE && j < order)) {
      nearest = distance;
      order = j;
      at = s;
    }
  }
  keepLeast(nearest, order, at, thread);
  if (thread == 0) {
    isComplete = leastAt[0] == NONE;
    if (leastAt[0] != NONE) {
      let j = leastOrder[0];
      labels[4 * (partners + leastAt[0]) + LISTED] = label(partners + tree.scanned, LISTED);
      labels[4 * (partners + tree.scanned) + LISTED] = j;
      tree.scanned++;
      tree.least = least[0];
      tree.seeker = holderOf(side, j);
      tree.offset = offsetBeyond(side, j, tree.seeker, tree.least);
      steps++;
    }
  }
  storageBarrier();
}

// The least number of all threads, the first in order of equal ones, is left at 0.
fn keepLeast(number: f32, order: u32, at: u32, thread: u32) {
  workgroupBarrier();
  least[thread] = number;
  leastOrder[thread] = order;
  leastAt[thread] = at;
  for (var half = THREADS / 2; half > 0; half /= 2) {
    workgroupBarrier();
    let other = thread + half;
    if (thread < half && isBefore(other, thread)) {
      least[thread] = least[other];
      leastOrder[thread] = leastOrder[other];
      leastAt[thread] = leastAt[other];
    }
  }
}

fn isBefore(one: u32, other: u32) -> bool {
  return least[one] < least[other] || (least[one] == least[other] && leastOrder[one] < leastOrder[other]);
}

fn flipLong(side: u32, first: u32, found: Tree) {
  dual[first] = found.reach;
  var seeker = found.endSeeker;
  var j = found.endPartner;
  var k = found.endThrough;
  if (j == NONE) {
    if (seeker != first) { j = partnerOf(side, seeker); }
    leave(side, seeker);
    if (seeker == first) { return; }
    seeker = label(j, SEEKER) - 1;
    k = label(j, THROUGH);
  }
  loop {
    var own = NONE;
    if (seeker != first) { own = partnerOf(side, seeker); }
    connect(side, seeker, j, k);
    if (own == NONE) { break; }
    j = own;
    seeker = label(j, SEEKER) - 1;
    k = label(j, THROUGH);
  }
}
