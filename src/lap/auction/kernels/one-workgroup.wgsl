#import frame
#import candidates

// (d) What the kernels that run all rounds in one workgroup share. Workgroup memory, which is 0 at first, holds one word per object: price above owner.
override THREADS = 256u;
// Objects that fit.
override CAPACITY = 2048u;

// Per person: its bid of this round, or 0.
@group(0) @binding(6) var<storage, read_write> offer: array<u32>;
// Out: object of each person or NOBODY, then the price of each object, then rounds, then 1 if all are settled.
@group(0) @binding(8) var<storage, read_write> answer: array<u32>;

var<workgroup> word: array<atomic<u32>, CAPACITY>;

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

fn record(i: u32, choice: Choice) {
  if (choice.object == NOBODY) {
    wanted[i] = ALONE;
    offer[i] = 0u;
  } else {
    wanted[i] = choice.object;
    offer[i] = (bid_of(choice) << frame.id_bits) | i;
  }
}

// Raises the word of the object that the person bids on.
fn raise(i: u32) {
  if (offer[i] != 0u) {
    atomicMax(&word[wanted[i]], offer[i]);
  }
}

fn write_answer(lane: u32, rounds: u32, done: bool) {
  for (var i = lane; i < frame.persons; i += THREADS) {
    answer[i] = select(wanted[i], NOBODY, wanted[i] == ALONE || !settled(i));
  }
  for (var j = lane; j < frame.objects; j += THREADS) {
    answer[frame.persons + j] = price_of(j);
  }
  if (lane == 0u) {
    answer[frame.persons + frame.objects] = rounds;
    answer[frame.persons + frame.objects + 1u] = select(0u, 1u, done);
  }
}
