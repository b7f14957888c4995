#import frame
#import candidates

// Shared by the kernels that run all rounds in one workgroup. Workgroup memory, which is 0 at first, holds one word per object: price above owner.
override THREADS = 256u;
// Objects that fit.
override CAPACITY = 2048u;

// Per person: its bid of this round, or 0.
@group(0) @binding(6) var<storage, read_write> offer: array<u32>;
// Out: the object of each person or −1, then the price of each object, then rounds, then 1 if all are settled.
@group(0) @binding(8) var<storage, read_write> answer: array<u32>;

var<workgroup> word: array<atomic<u32>, CAPACITY>;

fn priceOf(j: u32) -> u32 { return atomicLoad(&word[j]) >> frame.idBits; }

// A word that was bid on is not 0.
fn isOwner(i: u32, j: u32) -> bool { return (atomicLoad(&word[j]) & ((1u << frame.idBits) - 1)) == i; }

fn settled(i: u32) -> bool {
  // One reading of the buffer, which is writable, for both comparisons.
  let object = wanted[i];
  return object == ALONE || (object > 0 && isOwner(i, object - 1));
}

fn record(i: u32, choice: Choice) {
  if (choice.wanted == 0) {
    wanted[i] = ALONE;
    offer[i] = 0;
  } else {
    wanted[i] = choice.wanted;
    offer[i] = (bidOf(choice) << frame.idBits) | i;
  }
}

// Raises the word of the object that the person bids on.
fn raise(i: u32) {
  if (offer[i] != 0) { atomicMax(&word[wanted[i] - 1], offer[i]); }
}

fn writeAnswer(lane: u32, rounds: u32, done: bool) {
  for (var i = lane; i < frame.persons; i += THREADS) {
    answer[i] = select(0, wanted[i], wanted[i] != ALONE && settled(i)) - 1;
  }
  for (var j = lane; j < frame.objects; j += THREADS) { answer[frame.persons + j] = priceOf(j); }
  if (lane == 0) {
    answer[frame.persons + frame.objects] = rounds;
    answer[frame.persons + frame.objects + 1] = u32(done);
  }
}
