// The number of persons not settled at the start of this round; the number of rounds that had such persons, and whether one had none.
struct Progress {
  unsettled: atomic<u32>,
  rounds: u32,
  done: u32,
}

@group(0) @binding(6) var<storage, read_write> progress: Progress;

// One thread calls this after all bids of a round.
fn finishRound() {
  if (atomicLoad(&progress.unsettled) > 0) { progress.rounds++; } else { progress.done = 1; }
  atomicStore(&progress.unsettled, 0);
}
