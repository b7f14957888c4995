#import frame
#import candidates

// (d) Runs all rounds in one workgroup without the host. Workgroup memory holds one word per object and the bids of the persons.
override THREADS = 256u;
// Objects that fit.
override CAPACITY = 2048u;

// Per person: its bid of this round. Persons not settled, in any order.
@group(0) @binding(6) var<storage, read_write> offer: array<u32>;
@group(0) @binding(7) var<storage, read_write> queue: array<u32>;
// Out: object of each person or NOBODY, then the price of each object, then rounds, then 1 if all are settled.
@group(0) @binding(8) var<storage, read_write> answer: array<u32>;

var<workgroup> word: array<atomic<u32>, CAPACITY>;
var<workgroup> waiting: atomic<u32>;
var<workgroup> count: u32;

fn price_of(j: u32) -> u32 {
  return atomicLoad(&word[j]) >> frame.id_bits;
}

fn settled(i: u32) -> bool {
  let object = wanted[i];
  if (object == ALONE) {
    return true;
  }
  // A word that was bid on is not 0.
  return object != NOBODY && (atomicLoad(&word[object]) & ((1u << frame.id_bits) - 1u)) == i;
}

// Collects the persons who are not settled; returns their number.
fn collect(lane: u32) -> u32 {
  if (lane == 0u) {
    atomicStore(&waiting, 0u);
  }
  workgroupBarrier();
  for (var i = lane; i < frame.persons; i += THREADS) {
    if (!settled(i)) {
      queue[atomicAdd(&waiting, 1u)] = i;
    }
  }
  storageBarrier();
  workgroupBarrier();
  if (lane == 0u) {
    count = atomicLoad(&waiting);
  }
  return workgroupUniformLoad(&count);
}

fn record(i: u32, choice: Choice) {
  if (choice.object == NOBODY) {
    wanted[i] = ALONE;
    offer[i] = 0u;
  } else {
    wanted[i] = choice.object;
    offer[i] = (bid_of(choice) << frame.id_bits) | i;
  }
}

@compute @workgroup_size(THREADS)
fn one_workgroup(@builtin(local_invocation_index) lane: u32) {
  for (var j = lane; j < frame.objects; j += THREADS) {
    atomicStore(&word[j], 0u);
  }
  for (var i = lane; i < frame.persons; i += THREADS) {
    wanted[i] = NOBODY;
  }
  storageBarrier();
  workgroupBarrier();
  var rounds = 0u;
  var left = 0u;
  loop {
    left = collect(lane);
    if (left == 0u || rounds == frame.most_rounds) {
      break;
    }
    bid(lane, left);
    storageBarrier();
    workgroupBarrier();
    for (var at = lane; at < left; at += THREADS) {
      let i = queue[at];
      if (offer[i] != 0u) {
        atomicMax(&word[wanted[i]], offer[i]);
      }
    }
    rounds++;
    workgroupBarrier();
  }
  for (var i = lane; i < frame.persons; i += THREADS) {
    answer[i] = select(wanted[i], NOBODY, wanted[i] == ALONE || !settled(i));
  }
  for (var j = lane; j < frame.objects; j += THREADS) {
    answer[frame.persons + j] = price_of(j);
  }
  if (lane == 0u) {
    answer[frame.persons + frame.objects] = rounds;
    answer[frame.persons + frame.objects + 1u] = select(0u, 1u, left == 0u);
  }
}
